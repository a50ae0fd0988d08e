// SPDX-License-Identifier: GPL-2.0-only
#include "lab/scenario/document.hpp"

#include <utility>
#include <vector>

#include "lab/scenario/units.hpp"

namespace flushlab::lab {
namespace {

// Builds the tree and refuses what nlohmann's own parser lets through: a key given twice, bottomless nesting.
class TreeBuilder : public nlohmann::json_sax<Json> {
 public:
  TreeBuilder(std::string_view text, const std::string& file) : text_(text), file_(file) {}

  bool null() override { return put(nullptr); }
  bool boolean(bool value) override { return put(value); }
  bool number_integer(number_integer_t value) override { return put(value); }
  bool number_unsigned(number_unsigned_t value) override { return put(value); }
  bool number_float(number_float_t value, const string_t&) override { return put(value); }
  bool string(string_t& value) override { return put(std::move(value)); }
  bool binary(binary_t&) override { return false; }  // JSON text has none
  bool start_object(std::size_t) override { return open(Json::object()); }
  bool start_array(std::size_t) override { return open(Json::array()); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }

  bool key(string_t& name) override {
    Level& level = stack_.back();
    level.key = std::move(name);
    if (level.node.contains(level.key)) {
      fail({file_, pointer()}, "the key is given twice", "keep one of the two");
    }
    return true;
  }

  bool parse_error(std::size_t position, const std::string&, const nlohmann::detail::exception& error) override {
    // The library's sentence, without its own prefix and place.
    std::string message = error.what();
    for (const std::string_view mark : {"] ", "column "}) {
      const std::size_t at = message.find(mark);
      if (at != std::string::npos) message.erase(0, at + mark.size());
    }
    const std::size_t colon = message.find(": ");
    if (colon != std::string::npos && message.find_first_not_of("0123456789") == colon) message.erase(0, colon + 2);
    const std::size_t end = position == 0 ? 0 : std::min(position - 1, text_.size());
    std::uint64_t line = 1, column = 1;
    for (const char c : text_.substr(0, end)) {
      column = c == '\n' ? 1 : column + 1;
      if (c == '\n') ++line;
    }
    std::string remedy;
    const std::size_t before = text_.substr(0, end).find_last_not_of(" \t\r\n");
    if (end < text_.size() && (text_[end] == '}' || text_[end] == ']') && before != std::string_view::npos &&
        text_[before] == ',') {
      remedy = "remove the comma before it";
    }
    throw ConfigError(file_, "", "not JSON: " + message, remedy, line, column);
  }

  Json take() { return std::move(root_); }

 private:
  struct Level {
    Json node;
    std::string key;
  };

  std::string pointer() const {
    std::string result;
    for (const Level& level : stack_) {
      result += level.node.is_object() ? pointer_step(level.key) : '/' + std::to_string(level.node.size());
    }
    return result;
  }
  bool put(Json value) {
    if (stack_.empty()) {
      root_ = std::move(value);
    } else if (stack_.back().node.is_object()) {
      stack_.back().node[stack_.back().key] = std::move(value);
    } else {
      stack_.back().node.push_back(std::move(value));
    }
    return true;
  }
  bool open(Json node) {
    if (stack_.size() == kMaxDepth) fail({file_, pointer()}, "nested more than " + std::to_string(kMaxDepth) + " deep");
    stack_.push_back({std::move(node), {}});
    return true;
  }
  bool close() {
    Json node = std::move(stack_.back().node);
    stack_.pop_back();
    return put(std::move(node));
  }

  std::string_view text_;
  const std::string& file_;
  std::vector<Level> stack_;
  Json root_;
};

bool lies_below(std::string_view pointer, std::string_view ancestor) {
  return pointer.size() > ancestor.size() && pointer.substr(0, ancestor.size()) == ancestor &&
         pointer[ancestor.size()] == '/';
}

}  // namespace

Place Place::below(std::string_view pointer_suffix) const {
  if (is_override) return *this;
  return {file, pointer + std::string(pointer_suffix), false};
}

void fail(const Place& place, const std::string& message, const std::string& remedy) {
  throw ConfigError(place.file, place.pointer, message, remedy);
}

Place Places::at(const std::string& pointer) const {
  for (std::string ancestor = pointer;;) {
    const auto entry = entries_.find(ancestor);
    if (entry != entries_.end()) return entry->second.below(std::string_view(pointer).substr(ancestor.size()));
    ancestor.resize(ancestor.rfind('/'));  // the root is always entered, so this ends
  }
}

void Places::erase_below(const std::string& pointer) {
  for (auto it = entries_.lower_bound(pointer); it != entries_.end() && it->first.starts_with(pointer);) {
    it = lies_below(it->first, pointer) ? entries_.erase(it) : std::next(it);
  }
}

void Places::set(const std::string& pointer, Place place) {
  erase_below(pointer);
  entries_.insert_or_assign(pointer, std::move(place));
}

void Places::graft(const std::string& pointer, const Places& other, const std::string& other_pointer) {
  set(pointer, other.at(other_pointer));
  for (const auto& [key, place] : other.entries_) {
    if (lies_below(key, other_pointer)) entries_.insert_or_assign(pointer + key.substr(other_pointer.size()), place);
  }
}

Document parse_document(std::string_view text, const std::string& file) {
  TreeBuilder builder(text, file);
  Json::sax_parse(text.begin(), text.end(), &builder, nlohmann::json::input_format_t::json, /*strict=*/true,
                  /*ignore_comments=*/true);
  return {builder.take(), Places({file, "", false})};
}

std::string pointer_step(std::string_view key) {
  std::string step = "/";
  for (const char c : key) {
    if (c == '~') {
      step += "~0";
    } else if (c == '/') {
      step += "~1";
    } else {
      step += c;
    }
  }
  return step;
}

std::string describe(const Json& value) {
  switch (value.type()) {
    case Json::value_t::null:
      return "null";
    case Json::value_t::boolean:
      return value.get<bool>() ? "true" : "false";
    case Json::value_t::number_integer:
    case Json::value_t::number_unsigned:
    case Json::value_t::number_float:
      return "the number " + value.dump();
    case Json::value_t::string: {
      const std::string text = value.dump(-1, ' ', false, Json::error_handler_t::replace);
      return text.size() <= 60 ? text : "a long string";
    }
    case Json::value_t::array:
      return "an array";
    default:
      return "an object";
  }
}

std::string suggest(std::string_view word, const std::vector<std::string_view>& candidates) {
  const std::string_view near = nearest_word(word, candidates);
  if (!near.empty()) return "did you mean \"" + std::string(near) + "\"?";
  if (candidates.empty()) return {};
  std::string list = candidates.size() == 1 ? "expected " : "expected one of ";
  for (std::size_t i = 0; i < candidates.size(); ++i) list += (i == 0 ? "" : ", ") + std::string(candidates[i]);
  return list;
}

}  // namespace flushlab::lab
