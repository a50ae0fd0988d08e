// SPDX-License-Identifier: GPL-2.0-only
// Tasks: everything that is a thread in reality is a coroutine here and reads top to bottom.
//
//   Task<int> fsync(Simulator& simulator, ...) { co_await cpu.run(cost_ns); ...; co_return 0; }
//
// A task starts when it is awaited (or spawned, see simulator.hpp) and hands its value to whoever awaits it. Its frame
// comes from the FramePool of the first parameter (or object) that has a `frames()` member; a task without one is
// allocated from the heap. An exception that leaves a task reaches the awaiter, or the event loop for a spawned task.
#pragma once

#include <concepts>
#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <new>
#include <optional>
#include <type_traits>
#include <utility>

#include "emulator/sim/frame_pool.hpp"

namespace flushlab::sim {

template <typename T>
concept HasFrames = requires(T& object) {
  { object.frames() } -> std::same_as<FramePool&>;
};

namespace detail {

// The frame's size and pool lie in front of it, so that the frame can be given back without asking anybody.
struct alignas(16) FrameHeader {
  FramePool* pool;
  std::size_t bytes;
};

inline FramePool* find_pool() {
  return nullptr;
}
template <typename First, typename... Rest>
FramePool* find_pool(First& first, Rest&... rest) {
  if constexpr (HasFrames<std::remove_reference_t<First>>) {
    return &first.frames();
  } else {
    return find_pool(rest...);
  }
}

inline void* allocate_frame(std::size_t bytes, FramePool* pool) {
  const std::size_t total = bytes + sizeof(FrameHeader);
  void* memory = pool != nullptr ? pool->allocate(total) : ::operator new(total);
  auto* header = new (memory) FrameHeader{pool, total};
  return header + 1;
}

inline void free_frame(void* frame) noexcept {
  FrameHeader* header = static_cast<FrameHeader*>(frame) - 1;
  if (header->pool != nullptr) {
    header->pool->deallocate(header, header->bytes);
  } else {
    ::operator delete(header);
  }
}

struct PromiseBase {
  std::coroutine_handle<> continuation = std::noop_coroutine();

  template <typename... Arguments>
  static void* operator new(std::size_t bytes, Arguments&... arguments) {
    return allocate_frame(bytes, find_pool(arguments...));
  }
  static void operator delete(void* frame, std::size_t) noexcept { free_frame(frame); }

  std::suspend_always initial_suspend() noexcept { return {}; }
  struct Final {
    bool await_ready() noexcept { return false; }
    template <typename Promise>
    std::coroutine_handle<> await_suspend(std::coroutine_handle<Promise> self) noexcept {
      return self.promise().continuation;
    }
    void await_resume() noexcept {}
  };
  Final final_suspend() noexcept { return {}; }
};

// What a task hands over: a value, nothing, or the exception that left it.
template <typename T>
struct Result : PromiseBase {
  std::optional<T> value;
  std::exception_ptr error;
  template <typename U>
  void return_value(U&& result) {
    value.emplace(std::forward<U>(result));
  }
  void unhandled_exception() { error = std::current_exception(); }
};
template <>
struct Result<void> : PromiseBase {
  std::exception_ptr error;
  void return_void() noexcept {}
  void unhandled_exception() { error = std::current_exception(); }
};

}  // namespace detail

template <typename T = void>
class [[nodiscard]] Task {
 public:
  struct promise_type : detail::Result<T> {
    Task get_return_object() { return Task{std::coroutine_handle<promise_type>::from_promise(*this)}; }
  };

  Task(Task&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Task& operator=(Task&&) = delete;
  ~Task() {
    if (handle_) handle_.destroy();
  }

  bool await_ready() const noexcept { return false; }
  std::coroutine_handle<> await_suspend(std::coroutine_handle<> awaiter) noexcept {
    handle_.promise().continuation = awaiter;
    return handle_;
  }
  T await_resume() {
    promise_type& promise = handle_.promise();
    if (promise.error) std::rethrow_exception(promise.error);
    if constexpr (!std::is_void_v<T>) return std::move(*promise.value);
  }

 private:
  explicit Task(std::coroutine_handle<promise_type> handle) : handle_(handle) {}
  std::coroutine_handle<promise_type> handle_;
};

}  // namespace flushlab::sim
