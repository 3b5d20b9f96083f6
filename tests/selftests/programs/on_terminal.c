// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * on_terminal COMMAND…: run COMMAND on a terminal of its own and copy its output. Press Ctrl-C when
 * it has printed "ready", and exit with its status.
 */
#include <pty.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	char text[65536] = "";
	size_t len = 0;
	int status, pressed = 0, terminal;
	pid_t pid;
	ssize_t n;

	if (argc < 2)
		return 2;
	pid = forkpty(&terminal, NULL, NULL, NULL);
	if (pid < 0) {
		perror("forkpty");
		return 1;
	}
	if (pid == 0) {
		execvp(argv[1], argv + 1);
		_exit(127);
	}
	/* EIO: the last process on the terminal has gone. */
	while (len < sizeof(text) - 1 && (n = read(terminal, text + len, sizeof(text) - 1 - len)) > 0) {
		len += n;
		text[len] = '\0';
		if (!pressed && strstr(text, "ready"))
			pressed = write(terminal, "\003", 1);
	}
	fputs(text, stdout);
	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
