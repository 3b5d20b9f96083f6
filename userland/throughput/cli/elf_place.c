// SPDX-License-Identifier: GPL-2.0-or-later
#include "elf_place.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <gelf.h>

/* Owner and type of the notes of USDT, see <sys/sdt.h>. */
#define NOTE_OWNER "stapsdt"
#define NOTE_TYPE 3

struct file {
	int fd;
	Elf *elf;
};

static int open_elf(struct file *f, const char *path)
{
	struct stat st;

	elf_version(EV_CURRENT);
	f->fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (f->fd < 0)
		return -errno;
	f->elf = fstat(f->fd, &st) || !S_ISREG(st.st_mode) ? NULL : elf_begin(f->fd, ELF_C_READ, NULL);
	if (f->elf && elf_kind(f->elf) == ELF_K_ELF)
		return 0;
	elf_end(f->elf);
	close(f->fd);
	return -ENOEXEC;
}

static void close_elf(struct file *f)
{
	elf_end(f->elf);
	close(f->fd);
}

/*
 * Convert an address in the program to an offset in its file. Returns false if it is not in there.
 */
static bool to_offset(Elf *elf, uint64_t address, uint64_t *offset)
{
	GElf_Phdr ph;
	size_t nr, i;

	if (elf_getphdrnum(elf, &nr))
		return false;
	for (i = 0; i < nr; i++) {
		if (!gelf_getphdr(elf, (int)i, &ph) || ph.p_type != PT_LOAD || address < ph.p_vaddr ||
		    address - ph.p_vaddr >= ph.p_filesz)
			continue;
		*offset = address - ph.p_vaddr + ph.p_offset;
		return true;
	}
	return false;
}

static int add(Elf *elf, struct elf_places *p, uint64_t address, uint64_t semaphore)
{
	uint64_t at = 0, counter = 0;
	unsigned int i;

	if (!to_offset(elf, address, &at) || (semaphore && !to_offset(elf, semaphore, &counter)))
		return -EINVAL;
	for (i = 0; i < p->nr; i++)
		if (p->at[i] == at)
			return 0;
	if (p->nr == ELF_PLACES)
		return -E2BIG;
	p->at[p->nr] = at;
	p->semaphore[p->nr++] = counter;
	return 0;
}

/* Look for a function in one table of symbols. Both .symtab and .dynsym may be there. */
static int find_in(Elf *elf, Elf_Scn *section, const GElf_Shdr *sh, const char *name, struct elf_places *p)
{
	Elf_Data *data = elf_getdata(section, NULL);
	size_t i, nr = sh->sh_entsize ? sh->sh_size / sh->sh_entsize : 0;
	const char *found;
	GElf_Sym sym;
	int err = 0;

	for (i = 0; data && i < nr && !err; i++) {
		if (!gelf_getsym(data, (int)i, &sym) || sym.st_shndx == SHN_UNDEF)
			continue;
		found = elf_strptr(elf, sh->sh_link, sym.st_name);
		if (!found || strcmp(found, name))
			continue;
		if (GELF_ST_TYPE(sym.st_info) == STT_GNU_IFUNC)
			err = -EOPNOTSUPP;
		else if (GELF_ST_TYPE(sym.st_info) == STT_FUNC)
			err = add(elf, p, sym.st_value, 0);
	}
	return err;
}

int elf_find_function(const char *path, const char *name, struct elf_places *p)
{
	Elf_Scn *section = NULL;
	struct file f;
	GElf_Shdr sh;
	int err = open_elf(&f, path);

	p->nr = 0;
	if (err)
		return err;
	while (!err && (section = elf_nextscn(f.elf, section)))
		if (gelf_getshdr(section, &sh) && (sh.sh_type == SHT_SYMTAB || sh.sh_type == SHT_DYNSYM))
			err = find_in(f.elf, section, &sh, name, p);
	close_elf(&f);
	return err ? err : p->nr ? 0 : -ENOENT;
}

/* Returns the address where the section @name would be, or is; 0: there is none. */
static uint64_t address_of(Elf *elf, const char *name)
{
	Elf_Scn *section = NULL;
	const char *found;
	GElf_Shdr sh;
	size_t names;

	if (elf_getshdrstrndx(elf, &names))
		return 0;
	while ((section = elf_nextscn(elf, section))) {
		if (!gelf_getshdr(section, &sh))
			continue;
		found = elf_strptr(elf, names, sh.sh_name);
		if (found && !strcmp(found, name))
			return sh.sh_addr;
	}
	return 0;
}

/* A note has three addresses, then the names with their ends, within @size bytes. */
static int take_note(Elf *elf, const char *note, size_t size, const char *provider, const char *name,
		     struct elf_places *p)
{
	size_t width = gelf_getclass(elf) == ELFCLASS32 ? 4 : 8, length = strlen(provider) + 1;
	uint64_t address[3] = {0}, base = address_of(elf, ".stapsdt.base"), moved;
	const char *text = note + 3 * width;
	unsigned int i;

	if (size < 3 * width || size - 3 * width < length + strlen(name) + 1 || memcmp(text, provider, length) ||
	    memcmp(text + length, name, strlen(name) + 1))
		return 0;
	/* The note has the byte order of this machine, because the program is to run here. */
	for (i = 0; i < 3; i++)
		memcpy(&address[i], note + i * width, width);
	/* Prelinking moves the program, but does not change the addresses in notes. */
	moved = base && address[1] ? base - address[1] : 0;
	return add(elf, p, address[0] + moved, address[2] ? address[2] + moved : 0);
}

int elf_find_mark(const char *path, const char *provider, const char *name, struct elf_places *p)
{
	size_t at, next, owner, note;
	Elf_Scn *section = NULL;
	Elf_Data *data;
	struct file f;
	GElf_Shdr sh;
	GElf_Nhdr nh;
	int err = open_elf(&f, path);

	p->nr = 0;
	if (err)
		return err;
	while (!err && (section = elf_nextscn(f.elf, section))) {
		if (!gelf_getshdr(section, &sh) || sh.sh_type != SHT_NOTE)
			continue;
		data = elf_getdata(section, NULL);
		for (at = 0; data && !err && (next = gelf_getnote(data, at, &nh, &owner, &note)); at = next) {
			const char *bytes = data->d_buf;

			if (nh.n_type == NOTE_TYPE && nh.n_namesz == sizeof(NOTE_OWNER) &&
			    !memcmp(bytes + owner, NOTE_OWNER, sizeof(NOTE_OWNER)))
				err = take_note(f.elf, bytes + note, nh.n_descsz, provider, name, p);
		}
	}
	close_elf(&f);
	return err ? err : p->nr ? 0 : -ENOENT;
}

int elf_is_dynamic(const char *path)
{
	size_t nr = 0, i;
	struct file f;
	GElf_Phdr ph;
	int err = open_elf(&f, path), found = 0;

	if (err)
		return err;
	elf_getphdrnum(f.elf, &nr);
	for (i = 0; i < nr && !found; i++)
		found = gelf_getphdr(f.elf, (int)i, &ph) && ph.p_type == PT_INTERP;
	close_elf(&f);
	return found;
}
