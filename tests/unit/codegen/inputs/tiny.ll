; Functions with little or nothing to allocate. No target-cpu: -mcpu decides.
target triple = "amdgcn-amd-amdhsa"

define amdgpu_kernel void @nothing() {
  ret void
}

define amdgpu_kernel void @store(ptr addrspace(1) %out) {
  store i32 7, ptr addrspace(1) %out
  ret void
}

declare void @elsewhere()

define i32 @device_function(i32 %x) {
  %y = mul i32 %x, 3
  ret i32 %y
}
