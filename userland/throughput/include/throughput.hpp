// SPDX-License-Identifier: LGPL-2.1-or-later
// libthroughput for C++: errors are exceptions (std::system_error), see throughput.h.
#ifndef THROUGHPUT_HPP
#define THROUGHPUT_HPP

#include <cstdint>
#include <string>
#include <system_error>

#include "throughput.h"

namespace throughput {

inline void check(int status)
{
	if (status < 0)
		throw std::system_error(-status, std::generic_category(), "libthroughput");
}

/// This program, registered as long as the object lives.
class application {
public:
	explicit application(const std::string &name, const std::string &unit = "units/s")
	{
		check(throughput_begin(name.c_str(), unit.c_str()));
	}
	application(const application &) = delete;
	application &operator=(const application &) = delete;
	~application() { throughput_end(); }

	void goal(double value) { check(throughput_goal(value, nullptr)); }
	void goal(double least, double most, unsigned int weight = 100)
	{
		check(throughput_goal_range(least, most, weight));
	}
	void tick(std::uint64_t n = 1) noexcept { throughput_tick(n); }
	std::uint64_t count() const noexcept { return throughput_count(); }
};

/// Reads what another application delivers.
class reader {
public:
	explicit reader(pid_t pid) { check(throughput_open(pid, &handle)); }
	reader(const reader &) = delete;
	reader &operator=(const reader &) = delete;
	~reader() { throughput_close(handle); }

	std::uint64_t count()
	{
		std::uint64_t units;

		check(throughput_read(handle, &units));
		return units;
	}
	double rate(std::uint64_t window_ns)
	{
		double units;

		check(throughput_rate(handle, window_ns, &units));
		return units;
	}

private:
	struct throughput_reader *handle;
};

} // namespace throughput

#endif
