! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! Fortran: kinds of arrays and of loops.
module forms
  implicit none
contains
! form: explicit shape, a(n,m)
subroutine form_explicit(a, b, n, m)
  integer, intent(in) :: n, m
  real(8), intent(inout) :: a(n, m)
  real(8), intent(in) :: b(m, n)
  integer :: i, j
  do i = 1, n
    do j = 1, m
      a(i, j) = a(i, j) + b(j, i)
    end do
  end do
end subroutine

! form: assumed size, a(lda,*)
subroutine form_assumed_size(a, b, n, lda)
  integer, intent(in) :: n, lda
  real(8), intent(inout) :: a(lda, *)
  real(8), intent(in) :: b(lda, *)
  integer :: i, j
  do i = 1, n
    do j = 1, n
      a(i, j) = a(i, j) + b(j, i)
    end do
  end do
end subroutine

! form: assumed shape, a(:,:)
subroutine form_assumed_shape(a, b)
  real(8), intent(inout) :: a(:, :)
  real(8), intent(in) :: b(:, :)
  integer :: i, j
  do i = 1, size(a, 1)
    do j = 1, size(a, 2)
      a(i, j) = a(i, j) + b(j, i)
    end do
  end do
end subroutine

! form: contiguous assumed shape
subroutine form_contiguous(a, b)
  real(8), contiguous, intent(inout) :: a(:, :)
  real(8), contiguous, intent(in) :: b(:, :)
  integer :: i, j
  do i = 1, size(a, 1)
    do j = 1, size(a, 2)
      a(i, j) = a(i, j) + b(j, i)
    end do
  end do
end subroutine

! form: allocatable argument
subroutine form_allocatable(a, b, n)
  real(8), allocatable, intent(inout) :: a(:, :)
  real(8), allocatable, intent(in) :: b(:, :)
  integer, intent(in) :: n
  integer :: i, j
  do i = 1, n
    do j = 1, n
      a(i, j) = a(i, j) + b(j, i)
    end do
  end do
end subroutine

! form: local allocatable
subroutine form_allocatable_local(b, n)
  integer, intent(in) :: n
  real(8), intent(inout) :: b(n, n)
  real(8), allocatable :: t(:, :)
  integer :: i, j
  allocate (t(n, n))
  do i = 1, n
    do j = 1, n
      t(i, j) = b(j, i) + i
    end do
  end do
  do j = 1, n
    do i = 1, n
      b(i, j) = t(i, j)
    end do
  end do
  deallocate (t)
end subroutine

! form: pointer argument
subroutine form_pointer(a, b, n)
  real(8), pointer, intent(in) :: a(:, :), b(:, :)
  integer, intent(in) :: n
  integer :: i, j
  do i = 1, n
    do j = 1, n
      a(i, j) = a(i, j) + b(j, i)
    end do
  end do
end subroutine

! form: array expression
subroutine form_expression(a, b, n)
  integer, intent(in) :: n
  real(8), intent(inout) :: a(n, n)
  real(8), intent(in) :: b(n, n)
  a = a + 2 * b
  a(2:n, :) = a(1:n - 1, :) + b(2:n, :)
end subroutine

! form: do concurrent
subroutine form_concurrent(a, b, n)
  integer, intent(in) :: n
  real(8), intent(inout) :: a(n, n)
  real(8), intent(in) :: b(n, n)
  integer :: i, j
  do concurrent (i = 1:n, j = 1:n)
    a(i, j) = a(i, j) + b(j, i)
  end do
end subroutine

! form: step and downward
subroutine form_step(a, b, n)
  integer, intent(in) :: n
  real(8), intent(inout) :: a(n, n)
  real(8), intent(in) :: b(n, n)
  integer :: i, j
  do i = n, 1, -1
    do j = 1, n, 3
      a(i, j) = a(i, j) + b(j, i)
    end do
  end do
end subroutine

! form: matmul
subroutine form_matmul(a, b, n)
  integer, intent(in) :: n
  real(8), intent(inout) :: a(n, n)
  real(8), intent(in) :: b(n, n)
  integer :: i, j, k
  real(8) :: c(n, n)
  c = 0
  do i = 1, n
    do j = 1, n
      do k = 1, n
        c(i, j) = c(i, j) + a(i, k) * b(k, j)
      end do
    end do
  end do
  a = c
end subroutine

! form: complex array
subroutine form_complex(a, b, n)
  integer, intent(in) :: n
  complex(8), intent(inout) :: a(n, n)
  complex(8), intent(in) :: b(n, n)
  integer :: i, j
  do i = 1, n
    do j = 1, n
      a(i, j) = a(i, j) + b(j, i)
    end do
  end do
end subroutine

subroutine show(name, a)
  character(*), intent(in) :: name
  real(8), intent(in) :: a(:, :)
  integer :: i, j
  real(8) :: s
  s = 0
  do j = 1, size(a, 2)
    do i = 1, size(a, 1)
      s = s * 0.875d0 + a(i, j)
    end do
  end do
  print '(a,1x,z16.16)', name, transfer(s, 0_8)
end subroutine
end module
