/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the Halide versions of pipelines share. Each file here is the function that bench/pipelines/NAME.c has in C, linked
 * with that file's driver (-DTSR_ELSEWHERE -DTSR_LOCAL): same arrays, sizes and arithmetic, in Halide's language, compiled
 * when the program starts, for sizes that are known when it runs.
 *
 * Schedules by hand are those that Halide's authors publish with its examples (halide-lang.org, apps/), applied to our
 * stages; where theirs has a stage that ours hasn't, what they do to its like. -DTSR_AUTOSCHEDULER="NAME", with the
 * library's path in TSR_AUTOSCHEDULER_PATH, has one of Halide's own autoschedulers find another, for the large size. */
#ifndef TSR_BY_HALIDE_H
#define TSR_BY_HALIDE_H
#include <Halide.h>
#include <cstdint>

namespace by_halide
{
using namespace Halide;

constexpr int rows_of_strip = 32;

/* This machine, but for what Halide 14 takes a Zen 5 for, which has no AMX */
inline Target target()
{
  return get_jit_target_from_environment().without_feature(Target::AVX512_SapphireRapids);
}

/* Vectors of elements of TYPE */
template <typename TYPE> int lanes()
{
  return target().natural_vector_size<TYPE>();
}

/* Are schedules by hand to be used? */
constexpr bool by_hand()
{
#ifdef TSR_AUTOSCHEDULER
  return false;
#else
  return true;
#endif
}

/* OUTPUT, scheduled and compiled. */
inline Pipeline compile(Func output)
{
  Pipeline pipeline(output);
#ifdef TSR_AUTOSCHEDULER
  load_plugin(TSR_AUTOSCHEDULER_PATH);
  pipeline.auto_schedule(TSR_AUTOSCHEDULER, target(), MachineParams(1, 16 << 20, 40));
#endif
  pipeline.compile_jit(target());
  return pipeline;
}

/* Estimates for autoschedulers: N extents, each dimension from FIRST on. */
inline Region region(std::initializer_list<int> extents, int first = 0)
{
  Region all;
  for (int extent : extents)
    all.push_back({first, extent});
  return all;
}
} // namespace by_halide
#endif
