/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Single instructions, with operands and results worked out from the PTX manual: what compiled C seldom or never has. In the
 * text %r1 .. %r3 (32 bits), %d1 .. %d3 (64 bits), %h1 .. %h3 (16 bits) hold the operands, and %r0, %d0, %h0 or %p0 gets the
 * result. */
#include "check.h"

#define F32_1 0x3f800000u /* 1 */
#define F64_1 0x3ff0000000000000u
#define NAN32 0x7fffffffu
#define ALL 0xffffffffffffffffu

static const struct {
  const char *text;
  uint64_t operand[3], result;
} cases[] = {
    /* Integers */
    {"add.s32 %r0, %r1, %r2;", {0xffffffff, 1}, 0},
    {"div.s32 %r0, %r1, %r2;", {0x80000000, 0xffffffff}, 0x80000000},
    {"div.s32 %r0, %r1, -3;", {7}, (uint32_t)-2},
    {"rem.s32 %r0, %r1, %r2;", {(uint32_t)-7, 3}, (uint32_t)-1},
    {"div.u64 %d0, %d1, %d2;", {ALL, 10}, ALL / 10},
    {"abs.s64 %d0, %d1;", {(uint64_t)-5}, 5},
    {"mul.hi.s32 %r0, %r1, %r2;", {0x80000000, 2}, ALL >> 32},
    {"mul.wide.s16 %r0, %h1, %h2;", {(uint16_t)-3, 5}, (uint32_t)-15},
    {"mad.wide.u32 %d0, %r1, %r2, %d3;", {0xffffffff, 0xffffffff, 1}, 0xfffffffe00000002},
    {"mad.hi.u32 %r0, %r1, %r2, %r3;", {0xffffffff, 0xffffffff, 5}, 0x3},
    {"sad.s32 %r0, %r1, %r2, %r3;", {(uint32_t)-4, 3, 10}, 17},
    {"shl.b32 %r0, %r1, %r2;", {1, 32}, 0},
    {"shr.s32 %r0, %r1, %r2;", {0x80000000, 99}, 0xffffffff},
    {"shr.u16 %h0, %h1, 3;", {0xf00f}, 0x1e01},
    {"shf.l.wrap.b32 %r0, %r1, %r2, %r3;", {0x12345678, 0x9abcdef0, 36}, 0xabcdef01},
    {"shf.r.clamp.b32 %r0, %r1, %r2, %r3;", {0x12345678, 0x9abcdef0, 40}, 0x9abcdef0},
    {"bfe.u32 %r0, %r1, 4, 8;", {0x12345678}, 0x67},
    {"bfe.s32 %r0, %r1, 4, 8;", {0x12345f78}, 0xfffffff7},
    {"bfe.s32 %r0, %r1, 28, 8;", {0x82345678}, 0xfffffff8},
    {"bfe.u64 %d0, %d1, 60, 4;", {ALL}, 15},
    {"bfi.b32 %r0, %r1, %r2, 8, 8;", {0xab, 0x11111111}, 0x1111ab11},
    {"bfi.b64 %d0, %d1, %d2, 60, 8;", {0xab, 0}, 0xb000000000000000},
    {"bfind.u32 %r0, %r1;", {0x00800000}, 23},
    {"bfind.s32 %r0, %r1;", {0xffffffff}, 0xffffffff},
    {"popc.b64 %r0, %d1;", {ALL}, 64},
    {"clz.b64 %r0, %d1;", {0}, 64},
    {"brev.b64 %d0, %d1;", {1}, 0x8000000000000000},
    {"prmt.b32 %r0, %r1, %r2, 0x5410U;", {0x11223344, 0xaabbccdd}, 0xccdd3344},
    {"prmt.b32 %r0, %r1, %r2, 0x8882U;", {0x112233f4, 0}, 0xffffff22},
    {"lop3.b32 %r0, %r1, %r2, %r3, 0x96;", {0xff00ff00, 0xf0f0f0f0, 0xcccccccc}, 0xff00ff00 ^ 0xf0f0f0f0 ^ 0xcccccccc},
    {"{ .reg .b32 %t; add.cc.u32 %t, %r1, %r2; addc.u32 %r0, 0, 0; }", {0xffffffff, 1}, 1},
    {"{ .reg .b32 %t; sub.cc.u32 %t, %r1, %r2; subc.u32 %r0, 5, 0; }", {1, 2}, 4},
    {"{ .reg .b64 %t; add.cc.u64 %t, %d1, %d2; addc.u64 %d0, %d1, 0; }", {ALL, 2}, 0},
    {"{ .reg .b32 %t; mad.lo.cc.u32 %t, %r1, %r2, 1; madc.hi.u32 %r0, %r1, %r2, 0; }", {0xffffffff, 0xffffffff}, 0xfffffffe},
    {"not.b16 %h0, %h1;", {0xff00}, 0x00ff},
    {"not.pred %p0, %q1;", {1}, 0},
    {"xor.pred %p0, %q1, %q2;", {1, 0}, 1},
    {"selp.b32 %r0, %r1, %r2, %q3;", {4, 5, 0}, 5},
    {"setp.lo.u32 %p0, %r1, %r2;", {1, 0xffffffff}, 1},
    {"setp.lt.s32 %p0, %r1, %r2;", {1, 0xffffffff}, 0},
    /* Bits between widths */
    {"mov.b64 %d0, {%r1, %r2};", {0x11111111, 0x22222222}, 0x2222222211111111},
    {"mov.b64 {_, %r0}, %d1;", {0x2222222211111111}, 0x22222222},
    {"mov.b32 %r0, {%h1, %h2};", {0x1234, 0x5678}, 0x56781234},
    {"cvt.s64.s32 %d0, %r1;", {0x80000000}, 0xffffffff80000000},
    {"cvt.u64.u16 %d0, %h1;", {0xfffff}, 0xffff},
    {"cvt.s32.s8 %r0, %r1;", {0x1280}, 0xffffff80},
    {"cvt.sat.u8.s32 %r0, %r1;", {(uint32_t)-5}, 0},
    {"cvt.sat.s8.s32 %r0, %r1;", {300}, 127},
    {"cvt.sat.u32.u64 %r0, %d1;", {ALL}, 0xffffffff},
    /* Floats */
    {"add.rn.f32 %r0, %r1, %r2;", {F32_1, 0x33800000}, F32_1},
    {"add.rp.f32 %r0, %r1, %r2;", {F32_1, 0x33800000}, 0x3f800001},
    {"sub.rz.f32 %r0, %r1, %r2;", {F32_1, 0x33000000}, 0x3f7fffff},
    {"add.f64 %d0, %d1, 0d3CA0000000000000;", {F64_1}, F64_1},
    {"add.rm.f64 %d0, %d1, %d2;", {F64_1, 0xbca0000000000000}, 0x3fefffffffffffff},
    {"mul.ftz.f32 %r0, %r1, %r2;", {0x00000001, 0x4b000000}, 0},
    {"mul.f32 %r0, %r1, %r2;", {0x00000001, 0x4b000000}, 0x00800000},
    {"add.sat.f32 %r0, %r1, %r2;", {F32_1, F32_1}, F32_1},
    {"add.sat.f32 %r0, %r1, %r2;", {0xbf800000, 0}, 0},
    {"sub.f32 %r0, %r1, %r1;", {0x7f800000}, NAN32},
    {"fma.rn.f32 %r0, %r1, %r2, %r3;", {0x3f800001, 0x3f800001, 0xbf800002}, 0x28800000},
    {"fma.rz.f32 %r0, %r1, %r2, %r3;", {0x3f800001, 0x3f800001, 0}, 0x3f800002},
    {"fma.rp.f32 %r0, %r1, %r2, %r3;", {0x3f800001, 0x3f800001, 0}, 0x3f800003},
    {"min.f32 %r0, %r1, %r2;", {NAN32, F32_1}, F32_1},
    {"min.f32 %r0, %r1, %r2;", {0, 0x80000000}, 0x80000000},
    {"max.f32 %r0, %r1, %r2;", {0x80000000, 0}, 0},
    {"max.NaN.f32 %r0, %r1, %r2;", {F32_1, 0x7fc00000}, NAN32},
    {"max.f64 %d0, %d1, %d2;", {0x7ff8000000000000, F64_1}, F64_1},
    {"neg.f32 %r0, %r1;", {0x80000000}, 0},
    {"abs.f64 %d0, %d1;", {0x8000000000000000}, 0},
    {"copysign.f32 %r0, %r1, %r2;", {0x80000000, F32_1}, 0xbf800000},
    {"rcp.rn.f32 %r0, %r1;", {0x40400000}, 0x3eaaaaab},
    {"sqrt.rn.f64 %d0, %d1;", {0x4000000000000000}, 0x3ff6a09e667f3bcd},
    {"sqrt.rm.f32 %r0, %r1;", {0x40000000}, 0x3fb504f3},
    {"sqrt.rp.f32 %r0, %r1;", {0x40000000}, 0x3fb504f4},
    {"div.rn.f32 %r0, %r1, %r2;", {F32_1, 0}, 0x7f800000},
    {"ex2.approx.f32 %r0, %r1;", {0x40400000}, 0x41000000},
    {"lg2.approx.ftz.f32 %r0, %r1;", {0x41000000}, 0x40400000},
    {"rsqrt.approx.f32 %r0, %r1;", {0x40800000}, 0x3f000000},
    {"testp.subnormal.f32 %p0, %r1;", {1}, 1},
    {"testp.infinite.f64 %p0, %d1;", {0xfff0000000000000}, 1},
    {"setp.lt.f32 %p0, %r1, %r2;", {NAN32, F32_1}, 0},
    {"setp.ltu.f32 %p0, %r1, %r2;", {NAN32, F32_1}, 1},
    {"setp.ne.f32 %p0, %r1, %r2;", {NAN32, F32_1}, 0},
    {"setp.neu.f32 %p0, %r1, %r2;", {NAN32, F32_1}, 1},
    {"setp.num.f64 %p0, %d1, %d2;", {F64_1, 0x7ff8000000000000}, 0},
    /* Conversions */
    {"cvt.rzi.s32.f32 %r0, %r1;", {0xc0200000}, (uint32_t)-2},
    {"cvt.rni.s32.f32 %r0, %r1;", {0x40200000}, 2},
    {"cvt.rmi.s32.f32 %r0, %r1;", {0xc0200000}, (uint32_t)-3},
    {"cvt.rpi.s32.f32 %r0, %r1;", {0x40200000}, 3},
    {"cvt.rzi.s32.f32 %r0, %r1;", {0x7f800000}, 0x7fffffff},
    {"cvt.rzi.u32.f32 %r0, %r1;", {0xbf800000}, 0},
    {"cvt.rzi.s32.f32 %r0, %r1;", {NAN32}, 0},
    {"cvt.rzi.s64.f32 %d0, %r1;", {NAN32}, 0x8000000000000000},
    {"cvt.rzi.s32.f64 %r0, %d1;", {0x7ff8000000000000}, 0x80000000},
    {"cvt.rzi.u64.f64 %d0, %d1;", {0x43f0000000000000}, ALL},
    {"cvt.rni.f64.f64 %d0, %d1;", {0x3fe0000000000000}, 0},
    {"cvt.rpi.f32.f32 %r0, %r1;", {0x3dcccccd}, F32_1},
    {"cvt.rn.f32.s32 %r0, %r1;", {16777217}, 0x4b800000},
    {"cvt.rp.f32.s32 %r0, %r1;", {16777217}, 0x4b800001},
    {"cvt.rz.f32.u64 %r0, %d1;", {ALL}, 0x5f7fffff},
    {"cvt.rn.f64.u64 %d0, %d1;", {ALL}, 0x43f0000000000000},
    {"cvt.rn.f32.f64 %r0, %d1;", {0x3ff0000010000000}, F32_1},
    {"cvt.rp.f32.f64 %r0, %d1;", {0x3ff0000010000000}, 0x3f800001},
    {"cvt.rz.f32.f64 %r0, %d1;", {0x7fe0000000000000}, 0x7f7fffff},
    {"cvt.sat.f32.f32 %r0, %r1;", {0xc0200000}, 0},
    {"cvt.f32.f16 %r0, %h1;", {0x0001}, 0x33800000},
    {"cvt.f32.f16 %r0, %h1;", {0xfc00}, 0xff800000},
    {"cvt.rn.f16.f32 %h0, %r1;", {0x3f801000}, 0x3c00},
    {"cvt.rn.f16.f32 %h0, %r1;", {0x3f803000}, 0x3c02},
    {"cvt.rz.f16.f32 %h0, %r1;", {0x3f803fff}, 0x3c01},
    {"cvt.rn.f16.f32 %h0, %r1;", {0x477ff000}, 0x7c00},
    {"cvt.rz.f16.f32 %h0, %r1;", {0x7f000000}, 0x7bff},
    {"cvt.rn.f16.f32 %h0, %r1;", {0x33000001}, 0x0001},
    {"cvt.rn.f16.f32 %h0, %r1;", {0x387fffff}, 0x0400},
    {"cvt.rn.bf16.f32 %h0, %r1;", {0x3f808000}, 0x3f80},
    {"cvt.rn.bf16.f32 %h0, %r1;", {0x3f818000}, 0x3f82},
    {"add.f16 %h0, %h1, %h2;", {0x3c00, 0x1000}, 0x3c00},
    {"fma.rn.f16 %h0, %h1, %h2, %h3;", {0x4000, 0x4200, 0x3c00}, 0x4700},
    /* Two in one */
    {"add.s16x2 %r0, %r1, %r2;", {0x7fff0001, 0x00010002}, 0x80000003},
    {"max.s16x2 %r0, %r1, %r2;", {0xffff0005, 0x00010002}, 0x00010005},
    {"fma.rn.f16x2 %r0, %r1, %r2, %r3;", {0x40003c00, 0x42003c00, 0x3c003c00}, 0x47004000},
    {"neg.f16x2 %r0, %r1;", {0x00003c00}, 0x8000bc00},
    {"{ .reg .pred %t; setp.gt.f16x2 %p0|%t, %r1, %r2; }", {0x3c004000, 0x40003c00}, 1},
    {"{ .reg .pred %t; setp.gt.f16x2 %t|%p0, %r1, %r2; }", {0x3c004000, 0x40003c00}, 0},
    {"cvt.rn.f16x2.f32 %r0, %r1, %r2;", {F32_1, 0x40000000}, 0x3c004000},
    {"cvt.rn.bf16x2.f32 %r0, %r1, %r2;", {F32_1, 0x40000000}, 0x3f804000},
    {"fma.rn.f32x2 %d0, %d1, %d2, %d3;", {0x400000003f800000, 0x400000003f800000, 0x3f80000000000000}, 0x40a000003f800000},
    /* Memory and what a thread knows */
    {"mov.u32 %r0, %ntid.x;", {0}, 1},
    {"mov.u32 %r0, %laneid;", {0}, 0},
    {"mov.u32 %r0, WARP_SZ;", {0}, 32},
    {"{ .reg .b64 %a; mov.b64 %a, box; isspacep.shared %p0, %a; }", {0}, 1},
    {"{ .reg .b64 %a; mov.b64 %a, box; isspacep.global %p0, %a; }", {0}, 0},
    {"st.shared.b32 [box+4], %r1; ld.shared.s8 %r0, [box+4];", {0x80}, 0xffffff80},
    {"{ .reg .b64 %a; mov.b64 %a, box; cvta.shared.u64 %a, %a; st.b16 [%a], %h1; ld.shared::cta.u16 %r0, [box]; }",
     {0x8001},
     0x8001},
    {"st.shared.v2.b32 [box], {%r1, %r2}; ld.shared.b64 %d0, [box];", {7, 9}, 0x900000007},
    {"ld.const.b32 %r0, [table+4];", {0}, 0xfffffffe},
    {"{ .reg .b64 %a; ld.global.b64 %a, [link]; ld.u32 %r0, [%a]; }", {0}, 0xfffffffe},
    {"st.shared.b32 [box], %r1; atom.shared.add.u32 %r0, [box], 5; ld.shared.b32 %r0, [box];", {3}, 8},
    {"st.shared.b32 [box], %r1; atom.shared.min.s32 %r0, [box], %r2;", {3, (uint32_t)-1}, 3},
    {"st.shared.b32 [box], %r1; red.shared.min.s32 [box], %r2; ld.shared.b32 %r0, [box];", {3, (uint32_t)-1}, 0xffffffff},
    {"st.shared.b32 [box], %r1; atom.shared.inc.u32 %r0, [box], 3; ld.shared.b32 %r0, [box];", {3}, 0},
    {"st.shared.b64 [box], %d1; atom.shared.cas.b64 %d0, [box], %d1, %d2; ld.shared.b64 %d0, [box];", {3, 9}, 9},
    {"st.shared.b32 [box], %r1; atom.shared.add.f32 %r0, [box], %r2; ld.shared.b32 %r0, [box];", {F32_1, F32_1}, 0x40000000},
    {"st.shared.b32 [box], %r1; atom.acquire.cta.shared.exch.b32 %r0, [box], 1;", {6}, 6},
    {"vote.sync.ballot.b32 %r0, %q1, -1;", {1}, 1},
    {"vote.sync.any.pred %p0, !%q1, -1;", {1}, 0},
    {"shfl.sync.idx.b32 %r0|%p0, %r1, 0, 31, -1;", {77}, 77},
    {"activemask.b32 %r0;", {0}, 1},
    {"@%q1 mov.u32 %r0, 5; @!%q1 mov.u32 %r0, 6;", {0}, 6},
    {"mov.u32 %r0, 3; bra.uni $end; mov.u32 %r0, 4; $end: mov.u32 %r1, 0;", {0}, 3},
};

/* The module with the instruction(s) TEXT; the result is what is in the register that the text names. */
static void write_module(char *ptx, size_t size, const char *text)
{
  const char *result = strstr(text, "%r0") ? "cvt.u64.u32 %d0, %r0;" : "";
  if (!*result && strstr(text, "%h0"))
    result = "cvt.u64.u16 %d0, %h0;";
  if (!*result && strstr(text, "%p0"))
    result = "selp.b64 %d0, 1, 0, %p0;";
  snprintf(ptx, size,
           ".version 7.8\n.target sm_80\n.address_size 64\n.const .align 4 .b32 table[2] = {1, 0xFFFFFFFE};\n"
           ".global .align 8 .u64 link = generic(table)+4;\n.shared .align 8 .b8 box[16];\n"
           ".visible .entry k(.param .u64 out, .param .u64 x, .param .u64 y, .param .u64 z)\n{\n"
           ".reg .b64 %%d<4>, %%out; .reg .b32 %%r<4>; .reg .b16 %%h<4>; .reg .pred %%p<4>, %%q<4>;\n"
           "ld.param.u64 %%out, [out]; ld.param.u64 %%d1, [x]; ld.param.u64 %%d2, [y]; ld.param.u64 %%d3, [z];\n"
           "cvt.u32.u64 %%r1, %%d1; cvt.u32.u64 %%r2, %%d2; cvt.u32.u64 %%r3, %%d3;\n"
           "cvt.u16.u64 %%h1, %%d1; cvt.u16.u64 %%h2, %%d2; cvt.u16.u64 %%h3, %%d3;\n"
           "setp.ne.b64 %%q1, %%d1, 0; setp.ne.b64 %%q2, %%d2, 0; setp.ne.b64 %%q3, %%d3, 0;\n"
           "%s\n%s\nst.global.b64 [%%out], %%d0;\nret;\n}\n",
           text, result);
}

int main(void)
{
  char ptx[4096], what[400];
  start();
  CUdeviceptr out;
  NEED(cuMemAlloc_v2(&out, 8));
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    uint64_t x = cases[k].operand[0], y = cases[k].operand[1], z = cases[k].operand[2], got = 0;
    CUmodule m;
    write_module(ptx, sizeof ptx, cases[k].text);
    CUresult code = cuModuleLoadDataEx(&m, ptx, 0, NULL, NULL);
    if (!code) {
      code = launch(m, "k", PAIR(1, 1), PAIR(1, 1), 0, ARGS(&out, &x, &y, &z));
      NEED(cuMemcpyDtoH_v2(&got, out, 8));
      NEED(cuModuleUnload(m));
    }
    snprintf(what, sizeof what, "%s: %d, 0x%llx, not 0x%llx", cases[k].text, code, (unsigned long long)got,
             (unsigned long long)cases[k].result);
    check(!code && got == cases[k].result, what);
  }
  NEED(cuDevicePrimaryCtxRelease_v2(0));
  return finish();
}
