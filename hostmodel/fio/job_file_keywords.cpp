// SPDX-License-Identifier: GPL-2.0-only
#include "hostmodel/fio/job_file_keywords.hpp"

#include <fmt/format.h>

#include <charconv>

namespace flushlab::fio {
namespace {

// expression = term { (+|-) term }; term = factor { (*|/) factor }; factor = number | ( expression ).
class Arithmetic {
 public:
  explicit Arithmetic(std::string_view text) : text_(text) {}

  // std::nullopt: no expression, a division by zero, or beyond 63 bits on the way.
  std::optional<std::int64_t> evaluate() {
    const std::optional<std::int64_t> value = expression(0);
    skip_blanks();
    return text_.empty() ? value : std::nullopt;
  }

 private:
  static constexpr int kDeepest = 32;

  void skip_blanks() {
    while (!text_.empty() && text_[0] == ' ') text_.remove_prefix(1);
  }
  // Takes one of two operators; '\0' if neither is next.
  char take(char a, char b) {
    skip_blanks();
    if (text_.empty() || (text_[0] != a && text_[0] != b)) return '\0';
    const char taken = text_[0];
    text_.remove_prefix(1);
    return taken;
  }
  std::optional<std::int64_t> expression(int depth) {
    std::optional<std::int64_t> left = term(depth);
    while (left) {
      const char op = take('+', '-');
      if (op == '\0') return left;
      const std::optional<std::int64_t> right = term(depth);
      std::int64_t result = 0;
      if (!right || (op == '+' ? __builtin_add_overflow(*left, *right, &result)
                               : __builtin_sub_overflow(*left, *right, &result))) {
        return std::nullopt;
      }
      left = result;
    }
    return left;
  }
  std::optional<std::int64_t> term(int depth) {
    std::optional<std::int64_t> left = factor(depth);
    while (left) {
      const char op = take('*', '/');
      if (op == '\0') return left;
      const std::optional<std::int64_t> right = factor(depth);
      std::int64_t result = 0;
      if (!right) return std::nullopt;
      if (op == '*') {
        if (__builtin_mul_overflow(*left, *right, &result)) return std::nullopt;
      } else {
        if (*right == 0 || *right == -1) return std::nullopt;
        result = *left / *right;
      }
      left = result;
    }
    return left;
  }
  std::optional<std::int64_t> factor(int depth) {
    if (depth > kDeepest) return std::nullopt;
    if (take('(', '(') != '\0') {
      const std::optional<std::int64_t> value = expression(depth + 1);
      return take(')', ')') == '\0' ? std::nullopt : value;
    }
    std::int64_t value = 0;
    const auto [end, status] = std::from_chars(text_.data(), text_.data() + text_.size(), value);
    if (status != std::errc{} || text_[0] == '-') return std::nullopt;
    text_.remove_prefix(static_cast<std::size_t>(end - text_.data()));
    return value;
  }

  std::string_view text_;
};

}  // namespace

std::string replace_variables(std::string_view line,
                              const std::function<std::optional<std::string>(std::string_view)>& lookup) {
  std::string out;
  while (!line.empty()) {
    const std::size_t start = line.find("${");
    const std::size_t end = start == std::string_view::npos ? start : line.find('}', start);
    if (end == std::string_view::npos) break;
    const std::optional<std::string> value = lookup ? lookup(line.substr(start + 2, end - start - 2)) : std::nullopt;
    out += line.substr(0, start);
    out += value ? std::string_view(*value) : line.substr(start, end + 1 - start);
    line.remove_prefix(end + 1);
  }
  out += line;
  return out;
}

std::string replace_keywords(std::string_view value, const ParseSettings& settings, std::string_view where) {
  const std::pair<std::string_view, std::uint64_t> keywords[] = {
      {"$ncpus", settings.online_cpus}, {"$pagesize", settings.page_size_bytes}, {"$mb_memory", settings.memory_mib}};
  std::string replaced;
  bool found = false;
  for (std::string_view rest = value; !rest.empty();) {
    const auto* keyword = std::begin(keywords);
    while (keyword != std::end(keywords) && !rest.starts_with(keyword->first)) ++keyword;
    if (keyword == std::end(keywords)) {
      replaced += rest[0];
      rest.remove_prefix(1);
      continue;
    }
    if (keyword->second == 0) {
      throw JobFileError(
          {std::string(where), fmt::format("the value of {} is not known", keyword->first), "write the number"});
    }
    replaced += fmt::format("{}", keyword->second);
    rest.remove_prefix(keyword->first.size());
    found = true;
  }
  if (!found) return replaced;
  const std::optional<std::int64_t> result = Arithmetic(replaced).evaluate();
  if (!result || *result < 0) {
    throw JobFileError({std::string(where), fmt::format("cannot evaluate '{}'", value),
                        "write whole numbers and keywords with + - * / and parentheses"});
  }
  return fmt::format("{}", *result);
}

}  // namespace flushlab::fio
