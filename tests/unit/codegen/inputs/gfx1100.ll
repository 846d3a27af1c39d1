; ModuleID = 'kernels.cl'
source_filename = "kernels.cl"
target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"

@gemm.tile_a = internal unnamed_addr addrspace(3) global [32 x [8 x float]] undef, align 4
@gemm.tile_b = internal unnamed_addr addrspace(3) global [8 x [32 x float]] undef, align 4
@__oclc_ABI_version = weak_odr hidden local_unnamed_addr addrspace(4) constant i32 500

; Function Attrs: nofree norecurse nosync nounwind memory(argmem: readwrite)
define protected amdgpu_kernel void @collatz(ptr addrspace(1) nocapture noundef writeonly align 4 %0, ptr addrspace(1) nocapture noundef readonly align 4 %1, i32 noundef %2) local_unnamed_addr #0 !kernel_arg_addr_space !4 !kernel_arg_access_qual !5 !kernel_arg_type !6 !kernel_arg_base_type !6 !kernel_arg_type_qual !7 !reqd_work_group_size !8 {
  %4 = tail call i32 @llvm.amdgcn.workgroup.id.x()
  %5 = shl i32 %4, 6
  %6 = tail call noundef range(i32 0, 1024) i32 @llvm.amdgcn.workitem.id.x()
  %7 = add i32 %5, %6
  %8 = icmp ult i32 %7, %2
  br i1 %8, label %9, label %33

9:                                                ; preds = %3
  %10 = zext i32 %7 to i64
  %11 = getelementptr inbounds i32, ptr addrspace(1) %1, i64 %10
  %12 = load i32, ptr addrspace(1) %11, align 4, !tbaa !9, !amdgpu.noclobber !13
  %13 = icmp ugt i32 %12, 1
  br i1 %13, label %14, label %30

14:                                               ; preds = %9, %24
  %15 = phi i32 [ %26, %24 ], [ 0, %9 ]
  %16 = phi i32 [ %25, %24 ], [ %12, %9 ]
  %17 = and i32 %16, 1
  %18 = icmp eq i32 %17, 0
  br i1 %18, label %22, label %19

19:                                               ; preds = %14
  %20 = mul i32 %16, 3
  %21 = add i32 %20, 1
  br label %24

22:                                               ; preds = %14
  %23 = lshr exact i32 %16, 1
  br label %24

24:                                               ; preds = %22, %19
  %25 = phi i32 [ %21, %19 ], [ %23, %22 ]
  %26 = add nuw nsw i32 %15, 1
  %27 = icmp ugt i32 %25, 1
  %28 = icmp ult i32 %15, 999
  %29 = select i1 %27, i1 %28, i1 false
  br i1 %29, label %14, label %30

30:                                               ; preds = %24, %9
  %31 = phi i32 [ 0, %9 ], [ %26, %24 ]
  %32 = getelementptr inbounds i32, ptr addrspace(1) %0, i64 %10
  store i32 %31, ptr addrspace(1) %32, align 4, !tbaa !9
  br label %33

33:                                               ; preds = %3, %30
  ret void
}

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef i32 @llvm.amdgcn.workgroup.id.x() #1

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef i32 @llvm.amdgcn.workitem.id.x() #1

; Function Attrs: convergent nofree norecurse nounwind
define protected amdgpu_kernel void @gemm(ptr addrspace(1) nocapture noundef writeonly align 4 %0, ptr addrspace(1) nocapture noundef readonly align 4 %1, ptr addrspace(1) nocapture noundef readonly align 4 %2, i32 noundef %3, i32 noundef %4) local_unnamed_addr #2 !kernel_arg_addr_space !14 !kernel_arg_access_qual !15 !kernel_arg_type !16 !kernel_arg_base_type !16 !kernel_arg_type_qual !17 !reqd_work_group_size !8 {
  %6 = tail call noundef range(i32 0, 1024) i32 @llvm.amdgcn.workitem.id.x()
  %7 = tail call i32 @llvm.amdgcn.workgroup.id.x()
  %8 = sdiv i32 %3, 32
  %9 = udiv i32 %7, %8
  %10 = shl nsw i32 %9, 5
  %11 = mul i32 %9, %8
  %12 = sub i32 %7, %11
  %13 = shl nsw i32 %12, 5
  %14 = lshr i32 %6, 1
  %15 = and i32 %14, 508
  %16 = shl nuw nsw i32 %6, 2
  %17 = and i32 %16, 28
  %18 = icmp sgt i32 %4, 0
  br i1 %18, label %19, label %114

19:                                               ; preds = %5
  %20 = icmp ult i32 %6, 256
  %21 = and i32 %6, 31
  %22 = and i32 %6, 7
  %23 = or disjoint i32 %21, %13
  %24 = getelementptr inbounds [8 x [32 x float]], ptr addrspace(3) @gemm.tile_b, i32 0, i32 0, i32 %17
  %25 = getelementptr inbounds [32 x [8 x float]], ptr addrspace(3) @gemm.tile_a, i32 0, i32 %15, i32 0
  %26 = or disjoint i32 %17, 1
  %27 = getelementptr inbounds [8 x [32 x float]], ptr addrspace(3) @gemm.tile_b, i32 0, i32 0, i32 %26
  %28 = or disjoint i32 %17, 2
  %29 = getelementptr inbounds [8 x [32 x float]], ptr addrspace(3) @gemm.tile_b, i32 0, i32 0, i32 %28
  %30 = or disjoint i32 %17, 3
  %31 = getelementptr inbounds [8 x [32 x float]], ptr addrspace(3) @gemm.tile_b, i32 0, i32 0, i32 %30
  %32 = or disjoint i32 %15, 1
  %33 = getelementptr inbounds [32 x [8 x float]], ptr addrspace(3) @gemm.tile_a, i32 0, i32 %32, i32 0
  %34 = or disjoint i32 %15, 2
  %35 = getelementptr inbounds [32 x [8 x float]], ptr addrspace(3) @gemm.tile_a, i32 0, i32 %34, i32 0
  %36 = or i32 %14, 3
  %37 = getelementptr inbounds [32 x [8 x float]], ptr addrspace(3) @gemm.tile_a, i32 0, i32 %36, i32 0
  %38 = getelementptr inbounds [8 x [32 x float]], ptr addrspace(3) @gemm.tile_b, i32 0, i32 1, i32 %17
  %39 = getelementptr inbounds [32 x [8 x float]], ptr addrspace(3) @gemm.tile_a, i32 0, i32 %15, i32 1
  %40 = getelementptr inbounds [8 x [32 x float]], ptr addrspace(3) @gemm.tile_b, i32 0, i32 1, i32 %26
  %41 = getelementptr inbounds [8 x [32 x float]], ptr addrspace(3) @gemm.tile_b, i32 0, i32 1, i32 %28
  %42 = getelementptr inbounds [8 x [32 x float]], ptr addrspace(3) @gemm.tile_b, i32 0, i32 1, i32 %30
  %43 = getelementptr inbounds [32 x [8 x float]], ptr addrspace(3) @gemm.tile_a, i32 0, i32 %32, i32 1
  %44 = getelementptr inbounds [32 x [8 x float]], ptr addrspace(3) @gemm.tile_a, i32 0, i32 %34, i32 1
  %45 = getelementptr inbounds [32 x [8 x float]], ptr addrspace(3) @gemm.tile_a, i32 0, i32 %36, i32 1
  %46 = getelementptr inbounds [8 x [32 x float]], ptr addrspace(3) @gemm.tile_b, i32 0, i32 2, i32 %17
  %47 = getelementptr inbounds [32 x [8 x float]], ptr addrspace(3) @gemm.tile_a, i32 0, i32 %15, i32 2
  %48 = getelementptr inbounds [8 x [32 x float]], ptr addrspace(3) @gemm.tile_b, i32 0, i32 2, i32 %26
  %49 = getelementptr inbounds [8 x [32 x float]], ptr addrspace(3) @gemm.tile_b, i32 0, i32 2, i32 %28
  %50 = getelementptr inbounds [8 x [32 x float]], ptr addrspace(3) @gemm.tile_b, i32 0, i32 2, i32 %30
  %51 = getelementptr inbounds [32 x [8 x float]], ptr addrspace(3) @gemm.tile_a, i32 0, i32 %32, i32 2
  %52 = getelementptr inbounds [32 x [8 x float]], ptr addrspace(3) @gemm.tile_a, i32 0, i32 %34, i32 2
  %53 = getelementptr inbounds [32 x [8 x float]], ptr addrspace(3) @gemm.tile_a, i32 0, i32 %36, i32 2
  %54 = getelementptr inbounds [8 x [32 x float]], ptr addrspace(3) @gemm.tile_b, i32 0, i32 3, i32 %17
  %55 = getelementptr inbounds [32 x [8 x float]], ptr addrspace(3) @gemm.tile_a, i32 0, i32 %15, i32 3
  %56 = getelementptr inbounds [8 x [32 x float]], ptr addrspace(3) @gemm.tile_b, i32 0, i32 3, i32 %26
  %57 = getelementptr inbounds [8 x [32 x float]], ptr addrspace(3) @gemm.tile_b, i32 0, i32 3, i32 %28
  %58 = getelementptr inbounds [8 x [32 x float]], ptr addrspace(3) @gemm.tile_b, i32 0, i32 3, i32 %30
  %59 = getelementptr inbounds [32 x [8 x float]], ptr addrspace(3) @gemm.tile_a, i32 0, i32 %32, i32 3
  %60 = getelementptr inbounds [32 x [8 x float]], ptr addrspace(3) @gemm.tile_a, i32 0, i32 %34, i32 3
  %61 = getelementptr inbounds [32 x [8 x float]], ptr addrspace(3) @gemm.tile_a, i32 0, i32 %36, i32 3
  %62 = getelementptr inbounds [8 x [32 x float]], ptr addrspace(3) @gemm.tile_b, i32 0, i32 4, i32 %17
  %63 = getelementptr inbounds [32 x [8 x float]], ptr addrspace(3) @gemm.tile_a, i32 0, i32 %15, i32 4
  %64 = getelementptr inbounds [8 x [32 x float]], ptr addrspace(3) @gemm.tile_b, i32 0, i32 4, i32 %26
  %65 = getelementptr inbounds [8 x [32 x float]], ptr addrspace(3) @gemm.tile_b, i32 0, i32 4, i32 %28
  %66 = getelementptr inbounds [8 x [32 x float]], ptr addrspace(3) @gemm.tile_b, i32 0, i32 4, i32 %30
  %67 = getelementptr inbounds [32 x [8 x float]], ptr addrspace(3) @gemm.tile_a, i32 0, i32 %32, i32 4
  %68 = getelementptr inbounds [32 x [8 x float]], ptr addrspace(3) @gemm.tile_a, i32 0, i32 %34, i32 4
  %69 = getelementptr inbounds [32 x [8 x float]], ptr addrspace(3) @gemm.tile_a, i32 0, i32 %36, i32 4
  %70 = getelementptr inbounds [8 x [32 x float]], ptr addrspace(3) @gemm.tile_b, i32 0, i32 5, i32 %17
  %71 = getelementptr inbounds [32 x [8 x float]], ptr addrspace(3) @gemm.tile_a, i32 0, i32 %15, i32 5
  %72 = getelementptr inbounds [8 x [32 x float]], ptr addrspace(3) @gemm.tile_b, i32 0, i32 5, i32 %26
  %73 = getelementptr inbounds [8 x [32 x float]], ptr addrspace(3) @gemm.tile_b, i32 0, i32 5, i32 %28
  %74 = getelementptr inbounds [8 x [32 x float]], ptr addrspace(3) @gemm.tile_b, i32 0, i32 5, i32 %30
  %75 = getelementptr inbounds [32 x [8 x float]], ptr addrspace(3) @gemm.tile_a, i32 0, i32 %32, i32 5
  %76 = getelementptr inbounds [32 x [8 x float]], ptr addrspace(3) @gemm.tile_a, i32 0, i32 %34, i32 5
  %77 = getelementptr inbounds [32 x [8 x float]], ptr addrspace(3) @gemm.tile_a, i32 0, i32 %36, i32 5
  %78 = getelementptr inbounds [8 x [32 x float]], ptr addrspace(3) @gemm.tile_b, i32 0, i32 6, i32 %17
  %79 = getelementptr inbounds [32 x [8 x float]], ptr addrspace(3) @gemm.tile_a, i32 0, i32 %15, i32 6
  %80 = getelementptr inbounds [8 x [32 x float]], ptr addrspace(3) @gemm.tile_b, i32 0, i32 6, i32 %26
  %81 = getelementptr inbounds [8 x [32 x float]], ptr addrspace(3) @gemm.tile_b, i32 0, i32 6, i32 %28
  %82 = getelementptr inbounds [8 x [32 x float]], ptr addrspace(3) @gemm.tile_b, i32 0, i32 6, i32 %30
  %83 = getelementptr inbounds [32 x [8 x float]], ptr addrspace(3) @gemm.tile_a, i32 0, i32 %32, i32 6
  %84 = getelementptr inbounds [32 x [8 x float]], ptr addrspace(3) @gemm.tile_a, i32 0, i32 %34, i32 6
  %85 = getelementptr inbounds [32 x [8 x float]], ptr addrspace(3) @gemm.tile_a, i32 0, i32 %36, i32 6
  %86 = getelementptr inbounds [8 x [32 x float]], ptr addrspace(3) @gemm.tile_b, i32 0, i32 7, i32 %17
  %87 = getelementptr inbounds [32 x [8 x float]], ptr addrspace(3) @gemm.tile_a, i32 0, i32 %15, i32 7
  %88 = getelementptr inbounds [8 x [32 x float]], ptr addrspace(3) @gemm.tile_b, i32 0, i32 7, i32 %26
  %89 = getelementptr inbounds [8 x [32 x float]], ptr addrspace(3) @gemm.tile_b, i32 0, i32 7, i32 %28
  %90 = getelementptr inbounds [8 x [32 x float]], ptr addrspace(3) @gemm.tile_b, i32 0, i32 7, i32 %30
  %91 = getelementptr inbounds [32 x [8 x float]], ptr addrspace(3) @gemm.tile_a, i32 0, i32 %32, i32 7
  %92 = getelementptr inbounds [32 x [8 x float]], ptr addrspace(3) @gemm.tile_a, i32 0, i32 %34, i32 7
  %93 = getelementptr inbounds [32 x [8 x float]], ptr addrspace(3) @gemm.tile_a, i32 0, i32 %36, i32 7
  br label %94

94:                                               ; preds = %19, %188
  %95 = phi float [ 0.000000e+00, %19 ], [ %359, %188 ]
  %96 = phi float [ 0.000000e+00, %19 ], [ %361, %188 ]
  %97 = phi float [ 0.000000e+00, %19 ], [ %363, %188 ]
  %98 = phi float [ 0.000000e+00, %19 ], [ %365, %188 ]
  %99 = phi float [ 0.000000e+00, %19 ], [ %367, %188 ]
  %100 = phi float [ 0.000000e+00, %19 ], [ %368, %188 ]
  %101 = phi float [ 0.000000e+00, %19 ], [ %369, %188 ]
  %102 = phi float [ 0.000000e+00, %19 ], [ %370, %188 ]
  %103 = phi float [ 0.000000e+00, %19 ], [ %372, %188 ]
  %104 = phi float [ 0.000000e+00, %19 ], [ %373, %188 ]
  %105 = phi float [ 0.000000e+00, %19 ], [ %374, %188 ]
  %106 = phi float [ 0.000000e+00, %19 ], [ %375, %188 ]
  %107 = phi float [ 0.000000e+00, %19 ], [ %377, %188 ]
  %108 = phi float [ 0.000000e+00, %19 ], [ %378, %188 ]
  %109 = phi float [ 0.000000e+00, %19 ], [ %379, %188 ]
  %110 = phi float [ 0.000000e+00, %19 ], [ %380, %188 ]
  %111 = phi i32 [ 0, %19 ], [ %381, %188 ]
  br i1 %20, label %112, label %188

112:                                              ; preds = %94
  %113 = or disjoint i32 %22, %111
  br label %383

114:                                              ; preds = %188, %5
  %115 = phi float [ 0.000000e+00, %5 ], [ %359, %188 ]
  %116 = phi float [ 0.000000e+00, %5 ], [ %361, %188 ]
  %117 = phi float [ 0.000000e+00, %5 ], [ %363, %188 ]
  %118 = phi float [ 0.000000e+00, %5 ], [ %365, %188 ]
  %119 = phi float [ 0.000000e+00, %5 ], [ %367, %188 ]
  %120 = phi float [ 0.000000e+00, %5 ], [ %368, %188 ]
  %121 = phi float [ 0.000000e+00, %5 ], [ %369, %188 ]
  %122 = phi float [ 0.000000e+00, %5 ], [ %370, %188 ]
  %123 = phi float [ 0.000000e+00, %5 ], [ %372, %188 ]
  %124 = phi float [ 0.000000e+00, %5 ], [ %373, %188 ]
  %125 = phi float [ 0.000000e+00, %5 ], [ %374, %188 ]
  %126 = phi float [ 0.000000e+00, %5 ], [ %375, %188 ]
  %127 = phi float [ 0.000000e+00, %5 ], [ %377, %188 ]
  %128 = phi float [ 0.000000e+00, %5 ], [ %378, %188 ]
  %129 = phi float [ 0.000000e+00, %5 ], [ %379, %188 ]
  %130 = phi float [ 0.000000e+00, %5 ], [ %380, %188 ]
  %131 = add nsw i32 %10, %15
  %132 = or disjoint i32 %13, %17
  %133 = mul nsw i32 %131, %3
  %134 = add i32 %132, %133
  %135 = sext i32 %134 to i64
  %136 = getelementptr inbounds float, ptr addrspace(1) %0, i64 %135
  store float %115, ptr addrspace(1) %136, align 4, !tbaa !18
  %137 = or disjoint i32 %134, 1
  %138 = sext i32 %137 to i64
  %139 = getelementptr inbounds float, ptr addrspace(1) %0, i64 %138
  store float %116, ptr addrspace(1) %139, align 4, !tbaa !18
  %140 = or disjoint i32 %134, 2
  %141 = sext i32 %140 to i64
  %142 = getelementptr inbounds float, ptr addrspace(1) %0, i64 %141
  store float %117, ptr addrspace(1) %142, align 4, !tbaa !18
  %143 = or disjoint i32 %134, 3
  %144 = sext i32 %143 to i64
  %145 = getelementptr inbounds float, ptr addrspace(1) %0, i64 %144
  store float %118, ptr addrspace(1) %145, align 4, !tbaa !18
  %146 = or disjoint i32 %131, 1
  %147 = mul nsw i32 %146, %3
  %148 = add i32 %132, %147
  %149 = sext i32 %148 to i64
  %150 = getelementptr inbounds float, ptr addrspace(1) %0, i64 %149
  store float %119, ptr addrspace(1) %150, align 4, !tbaa !18
  %151 = sext i32 %148 to i64
  %152 = getelementptr float, ptr addrspace(1) %0, i64 %151
  %153 = getelementptr i8, ptr addrspace(1) %152, i64 4
  store float %120, ptr addrspace(1) %153, align 4, !tbaa !18
  %154 = sext i32 %148 to i64
  %155 = getelementptr float, ptr addrspace(1) %0, i64 %154
  %156 = getelementptr i8, ptr addrspace(1) %155, i64 8
  store float %121, ptr addrspace(1) %156, align 4, !tbaa !18
  %157 = sext i32 %148 to i64
  %158 = getelementptr float, ptr addrspace(1) %0, i64 %157
  %159 = getelementptr i8, ptr addrspace(1) %158, i64 12
  store float %122, ptr addrspace(1) %159, align 4, !tbaa !18
  %160 = or disjoint i32 %131, 2
  %161 = mul nsw i32 %160, %3
  %162 = add i32 %132, %161
  %163 = sext i32 %162 to i64
  %164 = getelementptr inbounds float, ptr addrspace(1) %0, i64 %163
  store float %123, ptr addrspace(1) %164, align 4, !tbaa !18
  %165 = or disjoint i32 %162, 1
  %166 = sext i32 %165 to i64
  %167 = getelementptr inbounds float, ptr addrspace(1) %0, i64 %166
  store float %124, ptr addrspace(1) %167, align 4, !tbaa !18
  %168 = sext i32 %162 to i64
  %169 = getelementptr float, ptr addrspace(1) %0, i64 %168
  %170 = getelementptr i8, ptr addrspace(1) %169, i64 8
  store float %125, ptr addrspace(1) %170, align 4, !tbaa !18
  %171 = sext i32 %162 to i64
  %172 = getelementptr float, ptr addrspace(1) %0, i64 %171
  %173 = getelementptr i8, ptr addrspace(1) %172, i64 12
  store float %126, ptr addrspace(1) %173, align 4, !tbaa !18
  %174 = or disjoint i32 %131, 3
  %175 = mul nsw i32 %174, %3
  %176 = add i32 %132, %175
  %177 = sext i32 %176 to i64
  %178 = getelementptr inbounds float, ptr addrspace(1) %0, i64 %177
  store float %127, ptr addrspace(1) %178, align 4, !tbaa !18
  %179 = sext i32 %176 to i64
  %180 = getelementptr float, ptr addrspace(1) %0, i64 %179
  %181 = getelementptr i8, ptr addrspace(1) %180, i64 4
  store float %128, ptr addrspace(1) %181, align 4, !tbaa !18
  %182 = sext i32 %176 to i64
  %183 = getelementptr float, ptr addrspace(1) %0, i64 %182
  %184 = getelementptr i8, ptr addrspace(1) %183, i64 8
  store float %129, ptr addrspace(1) %184, align 4, !tbaa !18
  %185 = sext i32 %176 to i64
  %186 = getelementptr float, ptr addrspace(1) %0, i64 %185
  %187 = getelementptr i8, ptr addrspace(1) %186, i64 12
  store float %130, ptr addrspace(1) %187, align 4, !tbaa !18
  ret void

188:                                              ; preds = %383, %94
  fence syncscope("workgroup") release
  tail call void @llvm.amdgcn.s.barrier()
  fence syncscope("workgroup") acquire
  %189 = load float, ptr addrspace(3) %25, align 4, !tbaa !18
  %190 = load float, ptr addrspace(3) %24, align 4, !tbaa !18
  %191 = tail call float @llvm.fmuladd.f32(float %189, float %190, float %95)
  %192 = load float, ptr addrspace(3) %27, align 4, !tbaa !18
  %193 = tail call float @llvm.fmuladd.f32(float %189, float %192, float %96)
  %194 = load float, ptr addrspace(3) %29, align 4, !tbaa !18
  %195 = tail call float @llvm.fmuladd.f32(float %189, float %194, float %97)
  %196 = load float, ptr addrspace(3) %31, align 4, !tbaa !18
  %197 = tail call float @llvm.fmuladd.f32(float %189, float %196, float %98)
  %198 = load float, ptr addrspace(3) %33, align 4, !tbaa !18
  %199 = tail call float @llvm.fmuladd.f32(float %198, float %190, float %99)
  %200 = tail call float @llvm.fmuladd.f32(float %198, float %192, float %100)
  %201 = tail call float @llvm.fmuladd.f32(float %198, float %194, float %101)
  %202 = tail call float @llvm.fmuladd.f32(float %198, float %196, float %102)
  %203 = load float, ptr addrspace(3) %35, align 4, !tbaa !18
  %204 = tail call float @llvm.fmuladd.f32(float %203, float %190, float %103)
  %205 = tail call float @llvm.fmuladd.f32(float %203, float %192, float %104)
  %206 = tail call float @llvm.fmuladd.f32(float %203, float %194, float %105)
  %207 = tail call float @llvm.fmuladd.f32(float %203, float %196, float %106)
  %208 = load float, ptr addrspace(3) %37, align 4, !tbaa !18
  %209 = tail call float @llvm.fmuladd.f32(float %208, float %190, float %107)
  %210 = tail call float @llvm.fmuladd.f32(float %208, float %192, float %108)
  %211 = tail call float @llvm.fmuladd.f32(float %208, float %194, float %109)
  %212 = tail call float @llvm.fmuladd.f32(float %208, float %196, float %110)
  %213 = load float, ptr addrspace(3) %39, align 4, !tbaa !18
  %214 = load float, ptr addrspace(3) %38, align 4, !tbaa !18
  %215 = tail call float @llvm.fmuladd.f32(float %213, float %214, float %191)
  %216 = load float, ptr addrspace(3) %40, align 4, !tbaa !18
  %217 = tail call float @llvm.fmuladd.f32(float %213, float %216, float %193)
  %218 = load float, ptr addrspace(3) %41, align 4, !tbaa !18
  %219 = tail call float @llvm.fmuladd.f32(float %213, float %218, float %195)
  %220 = load float, ptr addrspace(3) %42, align 4, !tbaa !18
  %221 = tail call float @llvm.fmuladd.f32(float %213, float %220, float %197)
  %222 = load float, ptr addrspace(3) %43, align 4, !tbaa !18
  %223 = tail call float @llvm.fmuladd.f32(float %222, float %214, float %199)
  %224 = tail call float @llvm.fmuladd.f32(float %222, float %216, float %200)
  %225 = tail call float @llvm.fmuladd.f32(float %222, float %218, float %201)
  %226 = tail call float @llvm.fmuladd.f32(float %222, float %220, float %202)
  %227 = load float, ptr addrspace(3) %44, align 4, !tbaa !18
  %228 = tail call float @llvm.fmuladd.f32(float %227, float %214, float %204)
  %229 = tail call float @llvm.fmuladd.f32(float %227, float %216, float %205)
  %230 = tail call float @llvm.fmuladd.f32(float %227, float %218, float %206)
  %231 = tail call float @llvm.fmuladd.f32(float %227, float %220, float %207)
  %232 = load float, ptr addrspace(3) %45, align 4, !tbaa !18
  %233 = tail call float @llvm.fmuladd.f32(float %232, float %214, float %209)
  %234 = tail call float @llvm.fmuladd.f32(float %232, float %216, float %210)
  %235 = tail call float @llvm.fmuladd.f32(float %232, float %218, float %211)
  %236 = tail call float @llvm.fmuladd.f32(float %232, float %220, float %212)
  %237 = load float, ptr addrspace(3) %47, align 4, !tbaa !18
  %238 = load float, ptr addrspace(3) %46, align 4, !tbaa !18
  %239 = tail call float @llvm.fmuladd.f32(float %237, float %238, float %215)
  %240 = load float, ptr addrspace(3) %48, align 4, !tbaa !18
  %241 = tail call float @llvm.fmuladd.f32(float %237, float %240, float %217)
  %242 = load float, ptr addrspace(3) %49, align 4, !tbaa !18
  %243 = tail call float @llvm.fmuladd.f32(float %237, float %242, float %219)
  %244 = load float, ptr addrspace(3) %50, align 4, !tbaa !18
  %245 = tail call float @llvm.fmuladd.f32(float %237, float %244, float %221)
  %246 = load float, ptr addrspace(3) %51, align 4, !tbaa !18
  %247 = tail call float @llvm.fmuladd.f32(float %246, float %238, float %223)
  %248 = tail call float @llvm.fmuladd.f32(float %246, float %240, float %224)
  %249 = tail call float @llvm.fmuladd.f32(float %246, float %242, float %225)
  %250 = tail call float @llvm.fmuladd.f32(float %246, float %244, float %226)
  %251 = load float, ptr addrspace(3) %52, align 4, !tbaa !18
  %252 = tail call float @llvm.fmuladd.f32(float %251, float %238, float %228)
  %253 = tail call float @llvm.fmuladd.f32(float %251, float %240, float %229)
  %254 = tail call float @llvm.fmuladd.f32(float %251, float %242, float %230)
  %255 = tail call float @llvm.fmuladd.f32(float %251, float %244, float %231)
  %256 = load float, ptr addrspace(3) %53, align 4, !tbaa !18
  %257 = tail call float @llvm.fmuladd.f32(float %256, float %238, float %233)
  %258 = tail call float @llvm.fmuladd.f32(float %256, float %240, float %234)
  %259 = tail call float @llvm.fmuladd.f32(float %256, float %242, float %235)
  %260 = tail call float @llvm.fmuladd.f32(float %256, float %244, float %236)
  %261 = load float, ptr addrspace(3) %55, align 4, !tbaa !18
  %262 = load float, ptr addrspace(3) %54, align 4, !tbaa !18
  %263 = tail call float @llvm.fmuladd.f32(float %261, float %262, float %239)
  %264 = load float, ptr addrspace(3) %56, align 4, !tbaa !18
  %265 = tail call float @llvm.fmuladd.f32(float %261, float %264, float %241)
  %266 = load float, ptr addrspace(3) %57, align 4, !tbaa !18
  %267 = tail call float @llvm.fmuladd.f32(float %261, float %266, float %243)
  %268 = load float, ptr addrspace(3) %58, align 4, !tbaa !18
  %269 = tail call float @llvm.fmuladd.f32(float %261, float %268, float %245)
  %270 = load float, ptr addrspace(3) %59, align 4, !tbaa !18
  %271 = tail call float @llvm.fmuladd.f32(float %270, float %262, float %247)
  %272 = tail call float @llvm.fmuladd.f32(float %270, float %264, float %248)
  %273 = tail call float @llvm.fmuladd.f32(float %270, float %266, float %249)
  %274 = tail call float @llvm.fmuladd.f32(float %270, float %268, float %250)
  %275 = load float, ptr addrspace(3) %60, align 4, !tbaa !18
  %276 = tail call float @llvm.fmuladd.f32(float %275, float %262, float %252)
  %277 = tail call float @llvm.fmuladd.f32(float %275, float %264, float %253)
  %278 = tail call float @llvm.fmuladd.f32(float %275, float %266, float %254)
  %279 = tail call float @llvm.fmuladd.f32(float %275, float %268, float %255)
  %280 = load float, ptr addrspace(3) %61, align 4, !tbaa !18
  %281 = tail call float @llvm.fmuladd.f32(float %280, float %262, float %257)
  %282 = tail call float @llvm.fmuladd.f32(float %280, float %264, float %258)
  %283 = tail call float @llvm.fmuladd.f32(float %280, float %266, float %259)
  %284 = tail call float @llvm.fmuladd.f32(float %280, float %268, float %260)
  %285 = load float, ptr addrspace(3) %63, align 4, !tbaa !18
  %286 = load float, ptr addrspace(3) %62, align 4, !tbaa !18
  %287 = tail call float @llvm.fmuladd.f32(float %285, float %286, float %263)
  %288 = load float, ptr addrspace(3) %64, align 4, !tbaa !18
  %289 = tail call float @llvm.fmuladd.f32(float %285, float %288, float %265)
  %290 = load float, ptr addrspace(3) %65, align 4, !tbaa !18
  %291 = tail call float @llvm.fmuladd.f32(float %285, float %290, float %267)
  %292 = load float, ptr addrspace(3) %66, align 4, !tbaa !18
  %293 = tail call float @llvm.fmuladd.f32(float %285, float %292, float %269)
  %294 = load float, ptr addrspace(3) %67, align 4, !tbaa !18
  %295 = tail call float @llvm.fmuladd.f32(float %294, float %286, float %271)
  %296 = tail call float @llvm.fmuladd.f32(float %294, float %288, float %272)
  %297 = tail call float @llvm.fmuladd.f32(float %294, float %290, float %273)
  %298 = tail call float @llvm.fmuladd.f32(float %294, float %292, float %274)
  %299 = load float, ptr addrspace(3) %68, align 4, !tbaa !18
  %300 = tail call float @llvm.fmuladd.f32(float %299, float %286, float %276)
  %301 = tail call float @llvm.fmuladd.f32(float %299, float %288, float %277)
  %302 = tail call float @llvm.fmuladd.f32(float %299, float %290, float %278)
  %303 = tail call float @llvm.fmuladd.f32(float %299, float %292, float %279)
  %304 = load float, ptr addrspace(3) %69, align 4, !tbaa !18
  %305 = tail call float @llvm.fmuladd.f32(float %304, float %286, float %281)
  %306 = tail call float @llvm.fmuladd.f32(float %304, float %288, float %282)
  %307 = tail call float @llvm.fmuladd.f32(float %304, float %290, float %283)
  %308 = tail call float @llvm.fmuladd.f32(float %304, float %292, float %284)
  %309 = load float, ptr addrspace(3) %71, align 4, !tbaa !18
  %310 = load float, ptr addrspace(3) %70, align 4, !tbaa !18
  %311 = tail call float @llvm.fmuladd.f32(float %309, float %310, float %287)
  %312 = load float, ptr addrspace(3) %72, align 4, !tbaa !18
  %313 = tail call float @llvm.fmuladd.f32(float %309, float %312, float %289)
  %314 = load float, ptr addrspace(3) %73, align 4, !tbaa !18
  %315 = tail call float @llvm.fmuladd.f32(float %309, float %314, float %291)
  %316 = load float, ptr addrspace(3) %74, align 4, !tbaa !18
  %317 = tail call float @llvm.fmuladd.f32(float %309, float %316, float %293)
  %318 = load float, ptr addrspace(3) %75, align 4, !tbaa !18
  %319 = tail call float @llvm.fmuladd.f32(float %318, float %310, float %295)
  %320 = tail call float @llvm.fmuladd.f32(float %318, float %312, float %296)
  %321 = tail call float @llvm.fmuladd.f32(float %318, float %314, float %297)
  %322 = tail call float @llvm.fmuladd.f32(float %318, float %316, float %298)
  %323 = load float, ptr addrspace(3) %76, align 4, !tbaa !18
  %324 = tail call float @llvm.fmuladd.f32(float %323, float %310, float %300)
  %325 = tail call float @llvm.fmuladd.f32(float %323, float %312, float %301)
  %326 = tail call float @llvm.fmuladd.f32(float %323, float %314, float %302)
  %327 = tail call float @llvm.fmuladd.f32(float %323, float %316, float %303)
  %328 = load float, ptr addrspace(3) %77, align 4, !tbaa !18
  %329 = tail call float @llvm.fmuladd.f32(float %328, float %310, float %305)
  %330 = tail call float @llvm.fmuladd.f32(float %328, float %312, float %306)
  %331 = tail call float @llvm.fmuladd.f32(float %328, float %314, float %307)
  %332 = tail call float @llvm.fmuladd.f32(float %328, float %316, float %308)
  %333 = load float, ptr addrspace(3) %79, align 4, !tbaa !18
  %334 = load float, ptr addrspace(3) %78, align 4, !tbaa !18
  %335 = tail call float @llvm.fmuladd.f32(float %333, float %334, float %311)
  %336 = load float, ptr addrspace(3) %80, align 4, !tbaa !18
  %337 = tail call float @llvm.fmuladd.f32(float %333, float %336, float %313)
  %338 = load float, ptr addrspace(3) %81, align 4, !tbaa !18
  %339 = tail call float @llvm.fmuladd.f32(float %333, float %338, float %315)
  %340 = load float, ptr addrspace(3) %82, align 4, !tbaa !18
  %341 = tail call float @llvm.fmuladd.f32(float %333, float %340, float %317)
  %342 = load float, ptr addrspace(3) %83, align 4, !tbaa !18
  %343 = tail call float @llvm.fmuladd.f32(float %342, float %334, float %319)
  %344 = tail call float @llvm.fmuladd.f32(float %342, float %336, float %320)
  %345 = tail call float @llvm.fmuladd.f32(float %342, float %338, float %321)
  %346 = tail call float @llvm.fmuladd.f32(float %342, float %340, float %322)
  %347 = load float, ptr addrspace(3) %84, align 4, !tbaa !18
  %348 = tail call float @llvm.fmuladd.f32(float %347, float %334, float %324)
  %349 = tail call float @llvm.fmuladd.f32(float %347, float %336, float %325)
  %350 = tail call float @llvm.fmuladd.f32(float %347, float %338, float %326)
  %351 = tail call float @llvm.fmuladd.f32(float %347, float %340, float %327)
  %352 = load float, ptr addrspace(3) %85, align 4, !tbaa !18
  %353 = tail call float @llvm.fmuladd.f32(float %352, float %334, float %329)
  %354 = tail call float @llvm.fmuladd.f32(float %352, float %336, float %330)
  %355 = tail call float @llvm.fmuladd.f32(float %352, float %338, float %331)
  %356 = tail call float @llvm.fmuladd.f32(float %352, float %340, float %332)
  %357 = load float, ptr addrspace(3) %87, align 4, !tbaa !18
  %358 = load float, ptr addrspace(3) %86, align 4, !tbaa !18
  %359 = tail call float @llvm.fmuladd.f32(float %357, float %358, float %335)
  %360 = load float, ptr addrspace(3) %88, align 4, !tbaa !18
  %361 = tail call float @llvm.fmuladd.f32(float %357, float %360, float %337)
  %362 = load float, ptr addrspace(3) %89, align 4, !tbaa !18
  %363 = tail call float @llvm.fmuladd.f32(float %357, float %362, float %339)
  %364 = load float, ptr addrspace(3) %90, align 4, !tbaa !18
  %365 = tail call float @llvm.fmuladd.f32(float %357, float %364, float %341)
  %366 = load float, ptr addrspace(3) %91, align 4, !tbaa !18
  %367 = tail call float @llvm.fmuladd.f32(float %366, float %358, float %343)
  %368 = tail call float @llvm.fmuladd.f32(float %366, float %360, float %344)
  %369 = tail call float @llvm.fmuladd.f32(float %366, float %362, float %345)
  %370 = tail call float @llvm.fmuladd.f32(float %366, float %364, float %346)
  %371 = load float, ptr addrspace(3) %92, align 4, !tbaa !18
  %372 = tail call float @llvm.fmuladd.f32(float %371, float %358, float %348)
  %373 = tail call float @llvm.fmuladd.f32(float %371, float %360, float %349)
  %374 = tail call float @llvm.fmuladd.f32(float %371, float %362, float %350)
  %375 = tail call float @llvm.fmuladd.f32(float %371, float %364, float %351)
  %376 = load float, ptr addrspace(3) %93, align 4, !tbaa !18
  %377 = tail call float @llvm.fmuladd.f32(float %376, float %358, float %353)
  %378 = tail call float @llvm.fmuladd.f32(float %376, float %360, float %354)
  %379 = tail call float @llvm.fmuladd.f32(float %376, float %362, float %355)
  %380 = tail call float @llvm.fmuladd.f32(float %376, float %364, float %356)
  fence syncscope("workgroup") release
  tail call void @llvm.amdgcn.s.barrier()
  fence syncscope("workgroup") acquire
  %381 = add nuw nsw i32 %111, 8
  %382 = icmp slt i32 %381, %4
  br i1 %382, label %94, label %114

383:                                              ; preds = %112, %383
  %384 = phi i32 [ %401, %383 ], [ %6, %112 ]
  %385 = lshr i32 %384, 3
  %386 = add nuw nsw i32 %385, %10
  %387 = mul nsw i32 %386, %4
  %388 = add i32 %113, %387
  %389 = sext i32 %388 to i64
  %390 = getelementptr inbounds float, ptr addrspace(1) %1, i64 %389
  %391 = load float, ptr addrspace(1) %390, align 4, !tbaa !18
  %392 = getelementptr inbounds [32 x [8 x float]], ptr addrspace(3) @gemm.tile_a, i32 0, i32 %385, i32 %22
  store float %391, ptr addrspace(3) %392, align 4, !tbaa !18
  %393 = lshr i32 %384, 5
  %394 = add nuw nsw i32 %393, %111
  %395 = mul nsw i32 %394, %3
  %396 = add i32 %23, %395
  %397 = sext i32 %396 to i64
  %398 = getelementptr inbounds float, ptr addrspace(1) %2, i64 %397
  %399 = load float, ptr addrspace(1) %398, align 4, !tbaa !18
  %400 = getelementptr inbounds [8 x [32 x float]], ptr addrspace(3) @gemm.tile_b, i32 0, i32 %393, i32 %21
  store float %399, ptr addrspace(3) %400, align 4, !tbaa !18
  %401 = add nuw nsw i32 %384, 64
  %402 = icmp ult i32 %384, 192
  br i1 %402, label %383, label %188
}

; Function Attrs: convergent mustprogress nocallback nofree nounwind willreturn
declare void @llvm.amdgcn.s.barrier() #3

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare float @llvm.fmuladd.f32(float, float, float) #1

; Function Attrs: convergent nofree norecurse nounwind memory(argmem: readwrite)
define protected amdgpu_kernel void @matrix(ptr addrspace(1) nocapture noundef writeonly align 32 %0, ptr addrspace(1) nocapture noundef readonly align 32 %1, ptr addrspace(1) nocapture noundef readonly align 32 %2, i32 noundef %3) local_unnamed_addr #4 !kernel_arg_addr_space !20 !kernel_arg_access_qual !21 !kernel_arg_type !22 !kernel_arg_base_type !23 !kernel_arg_type_qual !24 {
  %5 = icmp sgt i32 %3, 0
  %6 = tail call noundef range(i32 0, 1024) i32 @llvm.amdgcn.workitem.id.x()
  br i1 %5, label %11, label %7

7:                                                ; preds = %11, %4
  %8 = phi <8 x float> [ zeroinitializer, %4 ], [ %21, %11 ]
  %9 = zext nneg i32 %6 to i64
  %10 = getelementptr inbounds <8 x float>, ptr addrspace(1) %0, i64 %9
  store <8 x float> %8, ptr addrspace(1) %10, align 32, !tbaa !25
  ret void

11:                                               ; preds = %4, %11
  %12 = phi i32 [ %22, %11 ], [ 0, %4 ]
  %13 = phi <8 x float> [ %21, %11 ], [ zeroinitializer, %4 ]
  %14 = shl nsw i32 %12, 5
  %15 = add nuw i32 %14, %6
  %16 = zext i32 %15 to i64
  %17 = getelementptr inbounds <16 x half>, ptr addrspace(1) %1, i64 %16
  %18 = load <16 x half>, ptr addrspace(1) %17, align 32, !tbaa !25, !amdgpu.noclobber !13
  %19 = getelementptr inbounds <16 x half>, ptr addrspace(1) %2, i64 %16
  %20 = load <16 x half>, ptr addrspace(1) %19, align 32, !tbaa !25, !amdgpu.noclobber !13
  %21 = tail call <8 x float> @llvm.amdgcn.wmma.f32.16x16x16.f16.v8f32.v16f16(<16 x half> %18, <16 x half> %20, <8 x float> %13)
  %22 = add nuw nsw i32 %12, 1
  %23 = icmp eq i32 %22, %3
  br i1 %23, label %7, label %11
}

; Function Attrs: convergent mustprogress nocallback nofree nounwind willreturn memory(none)
declare <8 x float> @llvm.amdgcn.wmma.f32.16x16x16.f16.v8f32.v16f16(<16 x half>, <16 x half>, <8 x float>) #5

attributes #0 = { nofree norecurse nosync nounwind memory(argmem: readwrite) "amdgpu-flat-work-group-size"="64,64" "amdgpu-no-agpr" "amdgpu-no-completion-action" "amdgpu-no-default-queue" "amdgpu-no-dispatch-id" "amdgpu-no-dispatch-ptr" "amdgpu-no-heap-ptr" "amdgpu-no-hostcall-ptr" "amdgpu-no-implicitarg-ptr" "amdgpu-no-lds-kernel-id" "amdgpu-no-multigrid-sync-arg" "amdgpu-no-queue-ptr" "amdgpu-no-workgroup-id-x" "amdgpu-no-workgroup-id-y" "amdgpu-no-workgroup-id-z" "amdgpu-no-workitem-id-x" "amdgpu-no-workitem-id-y" "amdgpu-no-workitem-id-z" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="gfx1100" "target-features"="+16-bit-insts,+atomic-fadd-rtn-insts,+ci-insts,+dl-insts,+dot10-insts,+dot5-insts,+dot7-insts,+dot8-insts,+dot9-insts,+dpp,+gfx10-3-insts,+gfx10-insts,+gfx11-insts,+gfx8-insts,+gfx9-insts,+wavefrontsize32" "uniform-work-group-size"="true" }
attributes #1 = { mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #2 = { convergent nofree norecurse nounwind "amdgpu-flat-work-group-size"="64,64" "amdgpu-no-agpr" "amdgpu-no-completion-action" "amdgpu-no-default-queue" "amdgpu-no-dispatch-id" "amdgpu-no-dispatch-ptr" "amdgpu-no-heap-ptr" "amdgpu-no-hostcall-ptr" "amdgpu-no-implicitarg-ptr" "amdgpu-no-lds-kernel-id" "amdgpu-no-multigrid-sync-arg" "amdgpu-no-queue-ptr" "amdgpu-no-workgroup-id-x" "amdgpu-no-workgroup-id-y" "amdgpu-no-workgroup-id-z" "amdgpu-no-workitem-id-x" "amdgpu-no-workitem-id-y" "amdgpu-no-workitem-id-z" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="gfx1100" "target-features"="+16-bit-insts,+atomic-fadd-rtn-insts,+ci-insts,+dl-insts,+dot10-insts,+dot5-insts,+dot7-insts,+dot8-insts,+dot9-insts,+dpp,+gfx10-3-insts,+gfx10-insts,+gfx11-insts,+gfx8-insts,+gfx9-insts,+wavefrontsize32" "uniform-work-group-size"="true" }
attributes #3 = { convergent mustprogress nocallback nofree nounwind willreturn }
attributes #4 = { convergent nofree norecurse nounwind memory(argmem: readwrite) "amdgpu-flat-work-group-size"="1,256" "amdgpu-no-agpr" "amdgpu-no-completion-action" "amdgpu-no-default-queue" "amdgpu-no-dispatch-id" "amdgpu-no-dispatch-ptr" "amdgpu-no-heap-ptr" "amdgpu-no-hostcall-ptr" "amdgpu-no-implicitarg-ptr" "amdgpu-no-lds-kernel-id" "amdgpu-no-multigrid-sync-arg" "amdgpu-no-queue-ptr" "amdgpu-no-workgroup-id-x" "amdgpu-no-workgroup-id-y" "amdgpu-no-workgroup-id-z" "amdgpu-no-workitem-id-x" "amdgpu-no-workitem-id-y" "amdgpu-no-workitem-id-z" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="gfx1100" "target-features"="+16-bit-insts,+atomic-fadd-rtn-insts,+ci-insts,+dl-insts,+dot10-insts,+dot5-insts,+dot7-insts,+dot8-insts,+dot9-insts,+dpp,+gfx10-3-insts,+gfx10-insts,+gfx11-insts,+gfx8-insts,+gfx9-insts,+wavefrontsize32" "uniform-work-group-size"="true" }
attributes #5 = { convergent mustprogress nocallback nofree nounwind willreturn memory(none) }

!llvm.module.flags = !{!0, !1, !2}
!opencl.ocl.version = !{!3}

!0 = !{i32 1, !"amdhsa_code_object_version", i32 500}
!1 = !{i32 1, !"wchar_size", i32 4}
!2 = !{i32 8, !"PIC Level", i32 2}
!3 = !{i32 1, i32 2}
!4 = !{i32 1, i32 1, i32 0}
!5 = !{!"none", !"none", !"none"}
!6 = !{!"uint*", !"uint*", !"uint"}
!7 = !{!"", !"const", !""}
!8 = !{i32 64, i32 1, i32 1}
!9 = !{!10, !10, i64 0}
!10 = !{!"int", !11, i64 0}
!11 = !{!"omnipotent char", !12, i64 0}
!12 = !{!"Simple C/C++ TBAA"}
!13 = !{}
!14 = !{i32 1, i32 1, i32 1, i32 0, i32 0}
!15 = !{!"none", !"none", !"none", !"none", !"none"}
!16 = !{!"float*", !"float*", !"float*", !"int", !"int"}
!17 = !{!"", !"const", !"const", !"", !""}
!18 = !{!19, !19, i64 0}
!19 = !{!"float", !11, i64 0}
!20 = !{i32 1, i32 1, i32 1, i32 0}
!21 = !{!"none", !"none", !"none", !"none"}
!22 = !{!"float8_*", !"half16*", !"half16*", !"int"}
!23 = !{!"float __attribute__((ext_vector_type(8)))*", !"half __attribute__((ext_vector_type(16)))*", !"half __attribute__((ext_vector_type(16)))*", !"int"}
!24 = !{!"", !"const", !"const", !""}
!25 = !{!11, !11, i64 0}
