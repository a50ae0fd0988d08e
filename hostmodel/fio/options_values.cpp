// SPDX-License-Identifier: GPL-2.0-only
// Values as fio reads them. Stricter in one way: where fio takes the digits and drops the rest (`4q` is 4 bytes to
// fio, `1.5k` is 1), this refuses, since a job that means something else than it says is worse than an error.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>

#include "hostmodel/fio/options.hpp"

namespace flushlab::fio {
namespace {

constexpr std::uint64_t kMaxU64 = ~std::uint64_t{0};

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

std::string lowered(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(), lower);
  return result;
}

std::uint64_t checked_multiply(std::uint64_t a, std::uint64_t b, std::string_view text) {
  std::uint64_t product = 0;
  if (__builtin_mul_overflow(a, b, &product)) {
    throw ValueError{fmt::format("'{}' is more than 64 bits hold", text), "write a smaller value"};
  }
  return product;
}

struct Number {
  std::uint64_t value;
  std::string_view suffix;
  bool hexadecimal;
};

// The leading digits of `text` (decimal or 0x...) and what follows them.
Number split_number(std::string_view text, std::string_view expected) {
  const bool hex = text.size() > 2 && text[0] == '0' && lower(text[1]) == 'x';
  const std::string_view digits = hex ? text.substr(2) : text;
  Number number{0, {}, hex};
  const auto [end, status] = std::from_chars(digits.data(), digits.data() + digits.size(), number.value, hex ? 16 : 10);
  if (status == std::errc::result_out_of_range) {
    throw ValueError{fmt::format("'{}' is more than 64 bits hold", text), "write a smaller value"};
  }
  if (status != std::errc{}) {
    if (text.empty()) throw ValueError{"the value is empty", fmt::format("write {}", expected)};
    if (text[0] == '-') throw ValueError{fmt::format("'{}' is negative", text), fmt::format("write {}", expected)};
    if (text[0] == '(') {
      throw ValueError{fmt::format("arithmetic such as '{}' is not supported", text),
                       "write the result of the arithmetic"};
    }
    throw ValueError{fmt::format("'{}' is not a number", text), fmt::format("write {}", expected)};
  }
  number.suffix = digits.substr(static_cast<std::size_t>(end - digits.data()));
  if (!number.suffix.empty() && number.suffix[0] == '.') {
    throw ValueError{fmt::format("'{}' has a fraction, which fio drops with all that follows it", text),
                     "write a whole number with a smaller unit"};
  }
  return number;
}

}  // namespace

std::uint64_t SizeOrPercent::of(std::uint64_t whole_bytes) const {
  if (!is_percent) return value;
  return whole_bytes / 100 * value + whole_bytes % 100 * value / 100;
}

std::uint64_t parse_size(std::string_view text, std::uint64_t kb_base) {
  const Number number = split_number(text, "a size such as 4096, 4k or 1m");
  if (number.suffix.empty()) return number.value;
  const std::string suffix = lowered(number.suffix);
  if (number.hexadecimal) {
    throw ValueError{fmt::format("'{}' mixes hexadecimal digits with a suffix, which fio drops", text),
                     "write the hexadecimal number alone, or a decimal one with its suffix"};
  }
  if (suffix == "b") return number.value;
  if (suffix == "%") {
    throw ValueError{fmt::format("'{}' is a percentage, and this option takes none", text), "write a size such as 64m"};
  }
  if (suffix == "z") {
    throw ValueError{fmt::format("'{}' counts zones, and zoned devices are not modelled", text),
                     "write a size such as 64m"};
  }
  static constexpr std::string_view kPrefixes = "kmgtp";
  const std::size_t power = kPrefixes.find(suffix[0]);
  const std::string_view rest = std::string_view(suffix).substr(1);
  if (power == std::string_view::npos || (!rest.empty() && rest != "b" && rest != "i" && rest != "ib")) {
    throw ValueError{fmt::format("'{}' has the unknown suffix '{}'", text, number.suffix),
                     "the suffixes are k, m, g, t and p, each with an optional b or ib (k is 1024, kib is 1000, unless "
                     "kb_base=1000)"};
  }
  // fio's names are the wrong way round: the base asked for belongs to k, the other one to kib.
  const std::uint64_t base = rest == "ib" ? (kb_base == 1024 ? 1000 : 1024) : kb_base;
  std::uint64_t value = number.value;
  for (std::size_t i = 0; i <= power; ++i) value = checked_multiply(value, base, text);
  return value;
}

SizeOrPercent parse_size_or_percent(std::string_view text, std::uint64_t kb_base) {
  if (text.empty() || text.back() != '%') return {parse_size(text, kb_base), false};
  const std::string_view digits = text.substr(0, text.size() - 1);
  std::uint64_t percent = 0;
  const auto [end, status] = std::from_chars(digits.data(), digits.data() + digits.size(), percent);
  if (status != std::errc{} || end != digits.data() + digits.size() || percent > 100) {
    throw ValueError{fmt::format("'{}' is not a whole percentage of at most 100", text), "write 1% to 100%"};
  }
  return {percent, true};
}

std::uint64_t parse_time_ns(std::string_view text, std::uint64_t default_unit_ns) {
  struct Unit {
    std::string_view suffix;
    std::uint64_t ns;
  };
  static constexpr std::uint64_t kSecondNs = 1'000'000'000;
  static constexpr Unit kUnits[] = {{"us", 1'000},         {"usec", 1'000},         {"ms", 1'000'000},
                                    {"msec", 1'000'000},   {"s", kSecondNs},        {"sec", kSecondNs},
                                    {"m", 60 * kSecondNs}, {"h", 3600 * kSecondNs}, {"d", 86400 * kSecondNs}};
  const Number number = split_number(text, "a time such as 30s, 500ms or 100us");
  std::uint64_t unit_ns = default_unit_ns;
  if (!number.suffix.empty()) {
    const std::string suffix = lowered(number.suffix);
    const auto* unit =
        std::find_if(std::begin(kUnits), std::end(kUnits), [&](const Unit& u) { return u.suffix == suffix; });
    if (unit == std::end(kUnits)) {
      throw ValueError{fmt::format("'{}' has the unknown time suffix '{}'", text, number.suffix),
                       "the suffixes are us, ms, s, m, h and d"};
    }
    unit_ns = unit->ns;
  }
  return checked_multiply(number.value, unit_ns, text);
}

bool parse_bool(std::string_view text) {
  if (text == "0") return false;
  if (text == "1") return true;
  throw ValueError{fmt::format("'{}' is neither 0 nor 1", text), "write 0 or 1"};
}

std::vector<std::uint32_t> parse_cpu_list(std::string_view text) {
  static constexpr std::uint64_t kMaxCpu = 8191;  // the kernel's largest NR_CPUS
  const auto cpu = [text](std::string_view part) {
    std::uint64_t value = kMaxU64;
    const auto [end, status] = std::from_chars(part.data(), part.data() + part.size(), value);
    if (status != std::errc{} || end != part.data() + part.size() || value > kMaxCpu) {
      throw ValueError{fmt::format("'{}' is not a list of CPUs", text), "write CPU numbers and ranges such as 0-3,8"};
    }
    return static_cast<std::uint32_t>(value);
  };
  std::vector<std::uint32_t> cpus;
  std::string_view rest = text;
  for (bool more = true; more;) {
    const std::size_t separator = rest.find_first_of(",:");
    const std::string_view part = rest.substr(0, separator);
    more = separator != std::string_view::npos;
    if (more) rest.remove_prefix(separator + 1);
    const std::size_t dash = part.find('-');
    const std::uint32_t first = cpu(part.substr(0, dash));
    const std::uint32_t last = dash == std::string_view::npos ? first : cpu(part.substr(dash + 1));
    if (last < first) {
      throw ValueError{fmt::format("'{}' is a range that goes down", part), "write the lower CPU first"};
    }
    for (std::uint32_t i = first; i <= last; ++i) cpus.push_back(i);
  }
  std::sort(cpus.begin(), cpus.end());
  cpus.erase(std::unique(cpus.begin(), cpus.end()), cpus.end());
  return cpus;
}

std::string_view name_of(ReadWrite rw) {
  static constexpr std::string_view kNames[] = {"read", "write", "randread", "randwrite", "rw", "randrw"};
  return kNames[static_cast<std::size_t>(rw)];
}

std::string_view name_of(IoEngine engine) {
  static constexpr std::string_view kNames[] = {"psync", "sync", "pvsync", "pvsync2", "libaio", "io_uring"};
  return kNames[static_cast<std::size_t>(engine)];
}

JobFileError::JobFileError(JobError error)
    : std::runtime_error(error.remedy.empty() ? fmt::format("{}: {}", error.where, error.message)
                                              : fmt::format("{}: {}; {}", error.where, error.message, error.remedy)),
      error_(std::move(error)) {}

}  // namespace flushlab::fio
