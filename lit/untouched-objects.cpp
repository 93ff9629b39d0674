// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// C++ with templates, exceptions, virtual calls and coroutines leaves the object as it is.
//
// RUN: %clangxx -std=c++20 -O3 -c %s -o %t.plain.o
// RUN: %clangxx -std=c++20 -O3 -fpass-plugin=%plugin -Rpass=tessera -c %s -o %t.o 2>&1 | %count 0
// RUN: cmp %t.plain.o %t.o
// RUN: %clangxx -std=c++20 -O2 -g -c %s -o %t.plain.o
// RUN: %clangxx -std=c++20 -O2 -g -fpass-plugin=%plugin -c %s -o %t.o
// RUN: cmp %t.plain.o %t.o

#include <algorithm>
#include <coroutine>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

struct Shape {
  virtual ~Shape() = default;
  virtual double area() const = 0;
};
struct Square : Shape {
  double side;
  explicit Square(double s) : side(s) {}
  double area() const override { return side * side; }
};

double total(const std::vector<std::unique_ptr<Shape>> &shapes)
{
  double sum = 0;
  for (auto &shape : shapes)
    sum += shape->area();
  return sum;
}

std::map<std::string, int> count(const std::vector<std::string> &words)
{
  std::map<std::string, int> result;
  for (auto &word : words)
    if (word.empty())
      throw std::invalid_argument("empty");
    else
      result[word]++;
  return result;
}

int careful(const std::vector<std::string> &words)
{
  try {
    return count(words).size();
  } catch (const std::exception &e) {
    return -std::string(e.what()).size();
  }
}

struct Generator {
  struct promise_type {
    int value;
    Generator get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
    std::suspend_always initial_suspend() { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    std::suspend_always yield_value(int v) { value = v; return {}; }
    void return_void() {}
    void unhandled_exception() {}
  };
  std::coroutine_handle<promise_type> handle;
};

Generator upto(int n)
{
  for (int i = 0; i < n; i++)
    co_yield i;
}

int sumto(int n)
{
  int sum = 0;
  auto g = upto(n);
  for (g.handle.resume(); !g.handle.done(); g.handle.resume())
    sum += g.handle.promise().value;
  g.handle.destroy();
  return sum;
}
