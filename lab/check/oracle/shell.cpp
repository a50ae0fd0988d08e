// SPDX-License-Identifier: GPL-2.0-only
#include "lab/check/oracle/shell.hpp"

#include <fmt/format.h>

#include <cctype>

namespace flushlab::lab::oracle {

namespace {

struct Token {
  enum class Kind { kWord, kSeparator, kBackground, kRedirect, kAppend, kDuplicate } kind = Kind::kWord;
  std::string raw;  // of a word: with its quotes, so that expansion happens when a loop's variable is known
};

std::vector<Token> tokens_of(std::string_view line) {
  std::vector<Token> tokens;
  std::size_t i = 0;
  const auto at = [&](std::size_t k) { return k < line.size() ? line[k] : '\0'; };
  while (i < line.size()) {
    const char c = line[i];
    if (c == ' ' || c == '\t') {
      ++i;
    } else if (c == ';' || c == '\n') {
      tokens.push_back({Token::Kind::kSeparator, ";"});
      ++i;
    } else if (c == '&') {
      if (at(i + 1) == '&') throw UnknownShell("the shell's && is not modelled");
      tokens.push_back({Token::Kind::kBackground, "&"});
      ++i;
    } else if (c == '|') {
      throw UnknownShell("the shell's | is not modelled");
    } else if (c == '>') {
      const bool append = at(i + 1) == '>';
      tokens.push_back({append ? Token::Kind::kAppend : Token::Kind::kRedirect, ">"});
      i += append ? 2 : 1;
    } else if (std::isdigit(static_cast<unsigned char>(c)) != 0 && at(i + 1) == '>' && at(i + 2) == '&') {
      tokens.push_back({Token::Kind::kDuplicate, "2>&1"});
      i += 4;
    } else {
      std::string word;
      char quote = 0;
      while (i < line.size()) {
        const char w = line[i];
        if (quote == 0 && (w == ' ' || w == '\t' || w == ';' || w == '&' || w == '>' || w == '\n' || w == '|')) break;
        if (quote != 0 && w == quote) {
          quote = 0;
        } else if (quote == 0 && (w == '"' || w == '\'')) {
          quote = w;
        } else if (w == '\\' && quote != '\'' && i + 1 < line.size()) {
          word += w;
          ++i;
          word += line[i++];
          continue;
        }
        if (w == '`' || (w == '$' && at(i + 1) == '(')) throw UnknownShell("command substitution is not modelled");
        word += w;
        ++i;
      }
      if (quote != 0) throw UnknownShell(fmt::format("a quote is not closed in: {}", line));
      tokens.push_back({Token::Kind::kWord, word});
    }
  }
  return tokens;
}

std::string expand(const std::string& raw, const Variables& variables) {
  std::string out;
  char quote = 0;
  for (std::size_t i = 0; i < raw.size(); ++i) {
    const char c = raw[i];
    if (quote != 0 && c == quote) {
      quote = 0;
    } else if (quote == 0 && (c == '"' || c == '\'')) {
      quote = c;
    } else if (c == '\\' && quote != '\'' && i + 1 < raw.size()) {
      if (quote == '"' && raw[i + 1] != '"' && raw[i + 1] != '\\' && raw[i + 1] != '$') out += c;
      out += raw[++i];
    } else if (c == '$' && quote != '\'' && i + 1 < raw.size()) {
      std::size_t end = i + 1;
      while (end < raw.size() && (std::isalnum(static_cast<unsigned char>(raw[end])) != 0 || raw[end] == '_')) ++end;
      const std::string name = raw.substr(i + 1, end - i - 1);
      const auto value = variables.find(name);
      if (value == variables.end()) throw UnknownShell(fmt::format("the guest's variable ${} is not known", name));
      out += value->second;
      i = end - 1;
    } else {
      out += c;
    }
  }
  return out;
}

class Parser {
 public:
  Parser(std::vector<Token> tokens, std::vector<SimpleCommand>& out) : tokens_(std::move(tokens)), out_(&out) {}

  void run(Variables variables) {
    list(variables, "");
    if (next_ != tokens_.size()) throw UnknownShell(fmt::format("'{}' is out of place", tokens_[next_].raw));
  }

 private:
  [[nodiscard]] bool word_is(std::string_view text) const {
    return next_ < tokens_.size() && tokens_[next_].kind == Token::Kind::kWord && tokens_[next_].raw == text;
  }

  void list(Variables& variables, std::string_view end) {
    while (next_ < tokens_.size() && (end.empty() || !word_is(end))) {
      if (tokens_[next_].kind == Token::Kind::kSeparator) {
        ++next_;
      } else if (word_is("for")) {
        loop(variables);
      } else {
        simple(variables);
      }
    }
  }

  void loop(const Variables& outer) {
    ++next_;
    if (next_ + 1 >= tokens_.size()) throw UnknownShell("a for loop without a variable");
    const std::string name = tokens_[next_++].raw;
    if (!word_is("in")) throw UnknownShell("a for loop without 'in'");
    ++next_;
    std::vector<std::string> values;
    while (next_ < tokens_.size() && tokens_[next_].kind == Token::Kind::kWord)
      values.push_back(expand(tokens_[next_++].raw, outer));
    while (next_ < tokens_.size() && tokens_[next_].kind == Token::Kind::kSeparator) ++next_;
    if (!word_is("do")) throw UnknownShell("a for loop without 'do'");
    const std::size_t body = ++next_;
    std::size_t after = body;
    for (const std::string& value : values) {
      Variables inner = outer;
      inner[name] = value;
      next_ = body;
      list(inner, "done");
      after = next_;
    }
    next_ = after;
    if (!word_is("done")) throw UnknownShell("a for loop without 'done'");
    ++next_;
  }

  void simple(const Variables& variables) {
    SimpleCommand command;
    while (next_ < tokens_.size() && tokens_[next_].kind != Token::Kind::kSeparator) {
      const Token& token = tokens_[next_++];
      if (token.kind == Token::Kind::kBackground) {
        command.background = true;
        break;
      }
      if (token.kind == Token::Kind::kDuplicate) continue;
      if (token.kind == Token::Kind::kRedirect || token.kind == Token::Kind::kAppend) {
        if (next_ == tokens_.size() || tokens_[next_].kind != Token::Kind::kWord)
          throw UnknownShell("a redirection without a file");
        command.output = expand(tokens_[next_++].raw, variables);
        command.append = token.kind == Token::Kind::kAppend;
        continue;
      }
      command.words.push_back(expand(token.raw, variables));
    }
    if (!command.words.empty()) out_->push_back(std::move(command));
  }

  std::vector<Token> tokens_;
  std::vector<SimpleCommand>* out_;
  std::size_t next_ = 0;
};

}  // namespace

std::vector<SimpleCommand> parse_shell(std::string_view line, const Variables& variables) {
  std::vector<SimpleCommand> commands;
  Parser(tokens_of(line), commands).run(variables);
  return commands;
}

}  // namespace flushlab::lab::oracle
