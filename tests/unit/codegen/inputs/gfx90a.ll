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
  br i1 %18, label %19, label %88

19:                                               ; preds = %5
  %20 = icmp ult i32 %6, 256
  %21 = and i32 %6, 31
  %22 = and i32 %6, 7
  %23 = or disjoint i32 %21, %13
  %24 = getelementptr inbounds [8 x [32 x float]], ptr addrspace(3) @gemm.tile_b, i32 0, i32 0, i32 %17
  %25 = getelementptr inbounds [32 x [8 x float]], ptr addrspace(3) @gemm.tile_a, i32 0, i32 %15, i32 0
  %26 = or disjoint i32 %17, 2
  %27 = getelementptr inbounds [8 x [32 x float]], ptr addrspace(3) @gemm.tile_b, i32 0, i32 0, i32 %26
  %28 = or disjoint i32 %15, 1
  %29 = getelementptr inbounds [32 x [8 x float]], ptr addrspace(3) @gemm.tile_a, i32 0, i32 %28, i32 0
  %30 = or disjoint i32 %15, 2
  %31 = getelementptr inbounds [32 x [8 x float]], ptr addrspace(3) @gemm.tile_a, i32 0, i32 %30, i32 0
  %32 = or i32 %14, 3
  %33 = getelementptr inbounds [32 x [8 x float]], ptr addrspace(3) @gemm.tile_a, i32 0, i32 %32, i32 0
  %34 = getelementptr inbounds [8 x [32 x float]], ptr addrspace(3) @gemm.tile_b, i32 0, i32 1, i32 %17
  %35 = getelementptr inbounds [32 x [8 x float]], ptr addrspace(3) @gemm.tile_a, i32 0, i32 %15, i32 1
  %36 = getelementptr inbounds [8 x [32 x float]], ptr addrspace(3) @gemm.tile_b, i32 0, i32 1, i32 %26
  %37 = getelementptr inbounds [32 x [8 x float]], ptr addrspace(3) @gemm.tile_a, i32 0, i32 %28, i32 1
  %38 = getelementptr inbounds [32 x [8 x float]], ptr addrspace(3) @gemm.tile_a, i32 0, i32 %30, i32 1
  %39 = getelementptr inbounds [32 x [8 x float]], ptr addrspace(3) @gemm.tile_a, i32 0, i32 %32, i32 1
  %40 = getelementptr inbounds [8 x [32 x float]], ptr addrspace(3) @gemm.tile_b, i32 0, i32 2, i32 %17
  %41 = getelementptr inbounds [32 x [8 x float]], ptr addrspace(3) @gemm.tile_a, i32 0, i32 %15, i32 2
  %42 = getelementptr inbounds [8 x [32 x float]], ptr addrspace(3) @gemm.tile_b, i32 0, i32 2, i32 %26
  %43 = getelementptr inbounds [32 x [8 x float]], ptr addrspace(3) @gemm.tile_a, i32 0, i32 %28, i32 2
  %44 = getelementptr inbounds [32 x [8 x float]], ptr addrspace(3) @gemm.tile_a, i32 0, i32 %30, i32 2
  %45 = getelementptr inbounds [32 x [8 x float]], ptr addrspace(3) @gemm.tile_a, i32 0, i32 %32, i32 2
  %46 = getelementptr inbounds [8 x [32 x float]], ptr addrspace(3) @gemm.tile_b, i32 0, i32 3, i32 %17
  %47 = getelementptr inbounds [32 x [8 x float]], ptr addrspace(3) @gemm.tile_a, i32 0, i32 %15, i32 3
  %48 = getelementptr inbounds [8 x [32 x float]], ptr addrspace(3) @gemm.tile_b, i32 0, i32 3, i32 %26
  %49 = getelementptr inbounds [32 x [8 x float]], ptr addrspace(3) @gemm.tile_a, i32 0, i32 %28, i32 3
  %50 = getelementptr inbounds [32 x [8 x float]], ptr addrspace(3) @gemm.tile_a, i32 0, i32 %30, i32 3
  %51 = getelementptr inbounds [32 x [8 x float]], ptr addrspace(3) @gemm.tile_a, i32 0, i32 %32, i32 3
  %52 = getelementptr inbounds [8 x [32 x float]], ptr addrspace(3) @gemm.tile_b, i32 0, i32 4, i32 %17
  %53 = getelementptr inbounds [32 x [8 x float]], ptr addrspace(3) @gemm.tile_a, i32 0, i32 %15, i32 4
  %54 = getelementptr inbounds [8 x [32 x float]], ptr addrspace(3) @gemm.tile_b, i32 0, i32 4, i32 %26
  %55 = getelementptr inbounds [32 x [8 x float]], ptr addrspace(3) @gemm.tile_a, i32 0, i32 %28, i32 4
  %56 = getelementptr inbounds [32 x [8 x float]], ptr addrspace(3) @gemm.tile_a, i32 0, i32 %30, i32 4
  %57 = getelementptr inbounds [32 x [8 x float]], ptr addrspace(3) @gemm.tile_a, i32 0, i32 %32, i32 4
  %58 = getelementptr inbounds [8 x [32 x float]], ptr addrspace(3) @gemm.tile_b, i32 0, i32 5, i32 %17
  %59 = getelementptr inbounds [32 x [8 x float]], ptr addrspace(3) @gemm.tile_a, i32 0, i32 %15, i32 5
  %60 = getelementptr inbounds [8 x [32 x float]], ptr addrspace(3) @gemm.tile_b, i32 0, i32 5, i32 %26
  %61 = getelementptr inbounds [32 x [8 x float]], ptr addrspace(3) @gemm.tile_a, i32 0, i32 %28, i32 5
  %62 = getelementptr inbounds [32 x [8 x float]], ptr addrspace(3) @gemm.tile_a, i32 0, i32 %30, i32 5
  %63 = getelementptr inbounds [32 x [8 x float]], ptr addrspace(3) @gemm.tile_a, i32 0, i32 %32, i32 5
  %64 = getelementptr inbounds [8 x [32 x float]], ptr addrspace(3) @gemm.tile_b, i32 0, i32 6, i32 %17
  %65 = getelementptr inbounds [32 x [8 x float]], ptr addrspace(3) @gemm.tile_a, i32 0, i32 %15, i32 6
  %66 = getelementptr inbounds [8 x [32 x float]], ptr addrspace(3) @gemm.tile_b, i32 0, i32 6, i32 %26
  %67 = getelementptr inbounds [32 x [8 x float]], ptr addrspace(3) @gemm.tile_a, i32 0, i32 %28, i32 6
  %68 = getelementptr inbounds [32 x [8 x float]], ptr addrspace(3) @gemm.tile_a, i32 0, i32 %30, i32 6
  %69 = getelementptr inbounds [32 x [8 x float]], ptr addrspace(3) @gemm.tile_a, i32 0, i32 %32, i32 6
  %70 = getelementptr inbounds [8 x [32 x float]], ptr addrspace(3) @gemm.tile_b, i32 0, i32 7, i32 %17
  %71 = getelementptr inbounds [32 x [8 x float]], ptr addrspace(3) @gemm.tile_a, i32 0, i32 %15, i32 7
  %72 = getelementptr inbounds [8 x [32 x float]], ptr addrspace(3) @gemm.tile_b, i32 0, i32 7, i32 %26
  %73 = getelementptr inbounds [32 x [8 x float]], ptr addrspace(3) @gemm.tile_a, i32 0, i32 %28, i32 7
  %74 = getelementptr inbounds [32 x [8 x float]], ptr addrspace(3) @gemm.tile_a, i32 0, i32 %30, i32 7
  %75 = getelementptr inbounds [32 x [8 x float]], ptr addrspace(3) @gemm.tile_a, i32 0, i32 %32, i32 7
  br label %76

76:                                               ; preds = %19, %130
  %77 = phi i32 [ 0, %19 ], [ %307, %130 ]
  %78 = phi <2 x float> [ zeroinitializer, %19 ], [ %305, %130 ]
  %79 = phi <2 x float> [ zeroinitializer, %19 ], [ %306, %130 ]
  %80 = phi <2 x float> [ zeroinitializer, %19 ], [ %300, %130 ]
  %81 = phi <2 x float> [ zeroinitializer, %19 ], [ %301, %130 ]
  %82 = phi <2 x float> [ zeroinitializer, %19 ], [ %295, %130 ]
  %83 = phi <2 x float> [ zeroinitializer, %19 ], [ %296, %130 ]
  %84 = phi <2 x float> [ zeroinitializer, %19 ], [ %254, %130 ]
  %85 = phi <2 x float> [ zeroinitializer, %19 ], [ %291, %130 ]
  br i1 %20, label %86, label %130

86:                                               ; preds = %76
  %87 = or disjoint i32 %22, %77
  br label %309

88:                                               ; preds = %130, %5
  %89 = phi <2 x float> [ zeroinitializer, %5 ], [ %305, %130 ]
  %90 = phi <2 x float> [ zeroinitializer, %5 ], [ %306, %130 ]
  %91 = phi <2 x float> [ zeroinitializer, %5 ], [ %300, %130 ]
  %92 = phi <2 x float> [ zeroinitializer, %5 ], [ %301, %130 ]
  %93 = phi <2 x float> [ zeroinitializer, %5 ], [ %295, %130 ]
  %94 = phi <2 x float> [ zeroinitializer, %5 ], [ %296, %130 ]
  %95 = phi <2 x float> [ zeroinitializer, %5 ], [ %254, %130 ]
  %96 = phi <2 x float> [ zeroinitializer, %5 ], [ %291, %130 ]
  %97 = add nsw i32 %10, %15
  %98 = or disjoint i32 %13, %17
  %99 = mul nsw i32 %97, %3
  %100 = add i32 %98, %99
  %101 = sext i32 %100 to i64
  %102 = getelementptr inbounds float, ptr addrspace(1) %0, i64 %101
  store <2 x float> %95, ptr addrspace(1) %102, align 4, !tbaa !18
  %103 = or disjoint i32 %100, 2
  %104 = sext i32 %103 to i64
  %105 = getelementptr inbounds float, ptr addrspace(1) %0, i64 %104
  store <2 x float> %96, ptr addrspace(1) %105, align 4, !tbaa !18
  %106 = or disjoint i32 %97, 1
  %107 = mul nsw i32 %106, %3
  %108 = add i32 %98, %107
  %109 = sext i32 %108 to i64
  %110 = getelementptr inbounds float, ptr addrspace(1) %0, i64 %109
  store <2 x float> %93, ptr addrspace(1) %110, align 4, !tbaa !18
  %111 = sext i32 %108 to i64
  %112 = getelementptr float, ptr addrspace(1) %0, i64 %111
  %113 = getelementptr i8, ptr addrspace(1) %112, i64 8
  store <2 x float> %94, ptr addrspace(1) %113, align 4, !tbaa !18
  %114 = or disjoint i32 %97, 2
  %115 = mul nsw i32 %114, %3
  %116 = add i32 %98, %115
  %117 = sext i32 %116 to i64
  %118 = getelementptr inbounds float, ptr addrspace(1) %0, i64 %117
  store <2 x float> %91, ptr addrspace(1) %118, align 4, !tbaa !18
  %119 = sext i32 %116 to i64
  %120 = getelementptr float, ptr addrspace(1) %0, i64 %119
  %121 = getelementptr i8, ptr addrspace(1) %120, i64 8
  store <2 x float> %92, ptr addrspace(1) %121, align 4, !tbaa !18
  %122 = or disjoint i32 %97, 3
  %123 = mul nsw i32 %122, %3
  %124 = add i32 %98, %123
  %125 = sext i32 %124 to i64
  %126 = getelementptr inbounds float, ptr addrspace(1) %0, i64 %125
  store <2 x float> %89, ptr addrspace(1) %126, align 4, !tbaa !18
  %127 = sext i32 %124 to i64
  %128 = getelementptr float, ptr addrspace(1) %0, i64 %127
  %129 = getelementptr i8, ptr addrspace(1) %128, i64 8
  store <2 x float> %90, ptr addrspace(1) %129, align 4, !tbaa !18
  ret void

130:                                              ; preds = %309, %76
  fence syncscope("workgroup") release
  tail call void @llvm.amdgcn.s.barrier()
  fence syncscope("workgroup") acquire
  %131 = load float, ptr addrspace(3) %25, align 4, !tbaa !18
  %132 = load float, ptr addrspace(3) %29, align 4, !tbaa !18
  %133 = load float, ptr addrspace(3) %31, align 4, !tbaa !18
  %134 = load float, ptr addrspace(3) %33, align 4, !tbaa !18
  %135 = load float, ptr addrspace(3) %35, align 4, !tbaa !18
  %136 = load float, ptr addrspace(3) %37, align 4, !tbaa !18
  %137 = load float, ptr addrspace(3) %38, align 4, !tbaa !18
  %138 = load float, ptr addrspace(3) %39, align 4, !tbaa !18
  %139 = load float, ptr addrspace(3) %41, align 4, !tbaa !18
  %140 = load float, ptr addrspace(3) %43, align 4, !tbaa !18
  %141 = load float, ptr addrspace(3) %44, align 4, !tbaa !18
  %142 = load float, ptr addrspace(3) %45, align 4, !tbaa !18
  %143 = load float, ptr addrspace(3) %47, align 4, !tbaa !18
  %144 = load float, ptr addrspace(3) %49, align 4, !tbaa !18
  %145 = load float, ptr addrspace(3) %50, align 4, !tbaa !18
  %146 = load float, ptr addrspace(3) %51, align 4, !tbaa !18
  %147 = load float, ptr addrspace(3) %53, align 4, !tbaa !18
  %148 = load float, ptr addrspace(3) %55, align 4, !tbaa !18
  %149 = load float, ptr addrspace(3) %56, align 4, !tbaa !18
  %150 = load float, ptr addrspace(3) %57, align 4, !tbaa !18
  %151 = load float, ptr addrspace(3) %59, align 4, !tbaa !18
  %152 = load float, ptr addrspace(3) %61, align 4, !tbaa !18
  %153 = load float, ptr addrspace(3) %62, align 4, !tbaa !18
  %154 = load float, ptr addrspace(3) %63, align 4, !tbaa !18
  %155 = load float, ptr addrspace(3) %65, align 4, !tbaa !18
  %156 = load float, ptr addrspace(3) %67, align 4, !tbaa !18
  %157 = load float, ptr addrspace(3) %68, align 4, !tbaa !18
  %158 = load float, ptr addrspace(3) %69, align 4, !tbaa !18
  %159 = load float, ptr addrspace(3) %71, align 4, !tbaa !18
  %160 = load <2 x float>, ptr addrspace(3) %24, align 4, !tbaa !18
  %161 = insertelement <2 x float> poison, float %134, i64 0
  %162 = shufflevector <2 x float> %161, <2 x float> poison, <2 x i32> zeroinitializer
  %163 = tail call <2 x float> @llvm.fmuladd.v2f32(<2 x float> %162, <2 x float> %160, <2 x float> %78)
  %164 = load <2 x float>, ptr addrspace(3) %34, align 4, !tbaa !18
  %165 = insertelement <2 x float> poison, float %138, i64 0
  %166 = shufflevector <2 x float> %165, <2 x float> poison, <2 x i32> zeroinitializer
  %167 = tail call <2 x float> @llvm.fmuladd.v2f32(<2 x float> %166, <2 x float> %164, <2 x float> %163)
  %168 = load <2 x float>, ptr addrspace(3) %40, align 4, !tbaa !18
  %169 = insertelement <2 x float> poison, float %142, i64 0
  %170 = shufflevector <2 x float> %169, <2 x float> poison, <2 x i32> zeroinitializer
  %171 = tail call <2 x float> @llvm.fmuladd.v2f32(<2 x float> %170, <2 x float> %168, <2 x float> %167)
  %172 = load <2 x float>, ptr addrspace(3) %46, align 4, !tbaa !18
  %173 = insertelement <2 x float> poison, float %146, i64 0
  %174 = shufflevector <2 x float> %173, <2 x float> poison, <2 x i32> zeroinitializer
  %175 = tail call <2 x float> @llvm.fmuladd.v2f32(<2 x float> %174, <2 x float> %172, <2 x float> %171)
  %176 = load <2 x float>, ptr addrspace(3) %52, align 4, !tbaa !18
  %177 = insertelement <2 x float> poison, float %150, i64 0
  %178 = shufflevector <2 x float> %177, <2 x float> poison, <2 x i32> zeroinitializer
  %179 = tail call <2 x float> @llvm.fmuladd.v2f32(<2 x float> %178, <2 x float> %176, <2 x float> %175)
  %180 = load <2 x float>, ptr addrspace(3) %58, align 4, !tbaa !18
  %181 = insertelement <2 x float> poison, float %154, i64 0
  %182 = shufflevector <2 x float> %181, <2 x float> poison, <2 x i32> zeroinitializer
  %183 = tail call <2 x float> @llvm.fmuladd.v2f32(<2 x float> %182, <2 x float> %180, <2 x float> %179)
  %184 = load <2 x float>, ptr addrspace(3) %64, align 4, !tbaa !18
  %185 = insertelement <2 x float> poison, float %131, i64 0
  %186 = shufflevector <2 x float> %185, <2 x float> poison, <2 x i32> zeroinitializer
  %187 = tail call <2 x float> @llvm.fmuladd.v2f32(<2 x float> %186, <2 x float> %160, <2 x float> %84)
  %188 = insertelement <2 x float> poison, float %135, i64 0
  %189 = shufflevector <2 x float> %188, <2 x float> poison, <2 x i32> zeroinitializer
  %190 = tail call <2 x float> @llvm.fmuladd.v2f32(<2 x float> %189, <2 x float> %164, <2 x float> %187)
  %191 = insertelement <2 x float> poison, float %139, i64 0
  %192 = shufflevector <2 x float> %191, <2 x float> poison, <2 x i32> zeroinitializer
  %193 = tail call <2 x float> @llvm.fmuladd.v2f32(<2 x float> %192, <2 x float> %168, <2 x float> %190)
  %194 = insertelement <2 x float> poison, float %143, i64 0
  %195 = shufflevector <2 x float> %194, <2 x float> poison, <2 x i32> zeroinitializer
  %196 = tail call <2 x float> @llvm.fmuladd.v2f32(<2 x float> %195, <2 x float> %172, <2 x float> %193)
  %197 = insertelement <2 x float> poison, float %147, i64 0
  %198 = shufflevector <2 x float> %197, <2 x float> poison, <2 x i32> zeroinitializer
  %199 = tail call <2 x float> @llvm.fmuladd.v2f32(<2 x float> %198, <2 x float> %176, <2 x float> %196)
  %200 = insertelement <2 x float> poison, float %151, i64 0
  %201 = shufflevector <2 x float> %200, <2 x float> poison, <2 x i32> zeroinitializer
  %202 = tail call <2 x float> @llvm.fmuladd.v2f32(<2 x float> %201, <2 x float> %180, <2 x float> %199)
  %203 = insertelement <2 x float> poison, float %155, i64 0
  %204 = shufflevector <2 x float> %203, <2 x float> poison, <2 x i32> zeroinitializer
  %205 = tail call <2 x float> @llvm.fmuladd.v2f32(<2 x float> %204, <2 x float> %184, <2 x float> %202)
  %206 = insertelement <2 x float> poison, float %132, i64 0
  %207 = shufflevector <2 x float> %206, <2 x float> poison, <2 x i32> zeroinitializer
  %208 = tail call <2 x float> @llvm.fmuladd.v2f32(<2 x float> %207, <2 x float> %160, <2 x float> %82)
  %209 = insertelement <2 x float> poison, float %136, i64 0
  %210 = shufflevector <2 x float> %209, <2 x float> poison, <2 x i32> zeroinitializer
  %211 = tail call <2 x float> @llvm.fmuladd.v2f32(<2 x float> %210, <2 x float> %164, <2 x float> %208)
  %212 = insertelement <2 x float> poison, float %140, i64 0
  %213 = shufflevector <2 x float> %212, <2 x float> poison, <2 x i32> zeroinitializer
  %214 = tail call <2 x float> @llvm.fmuladd.v2f32(<2 x float> %213, <2 x float> %168, <2 x float> %211)
  %215 = insertelement <2 x float> poison, float %144, i64 0
  %216 = shufflevector <2 x float> %215, <2 x float> poison, <2 x i32> zeroinitializer
  %217 = tail call <2 x float> @llvm.fmuladd.v2f32(<2 x float> %216, <2 x float> %172, <2 x float> %214)
  %218 = insertelement <2 x float> poison, float %148, i64 0
  %219 = shufflevector <2 x float> %218, <2 x float> poison, <2 x i32> zeroinitializer
  %220 = tail call <2 x float> @llvm.fmuladd.v2f32(<2 x float> %219, <2 x float> %176, <2 x float> %217)
  %221 = insertelement <2 x float> poison, float %152, i64 0
  %222 = shufflevector <2 x float> %221, <2 x float> poison, <2 x i32> zeroinitializer
  %223 = tail call <2 x float> @llvm.fmuladd.v2f32(<2 x float> %222, <2 x float> %180, <2 x float> %220)
  %224 = insertelement <2 x float> poison, float %156, i64 0
  %225 = shufflevector <2 x float> %224, <2 x float> poison, <2 x i32> zeroinitializer
  %226 = tail call <2 x float> @llvm.fmuladd.v2f32(<2 x float> %225, <2 x float> %184, <2 x float> %223)
  %227 = insertelement <2 x float> poison, float %133, i64 0
  %228 = shufflevector <2 x float> %227, <2 x float> poison, <2 x i32> zeroinitializer
  %229 = tail call <2 x float> @llvm.fmuladd.v2f32(<2 x float> %228, <2 x float> %160, <2 x float> %80)
  %230 = insertelement <2 x float> poison, float %137, i64 0
  %231 = shufflevector <2 x float> %230, <2 x float> poison, <2 x i32> zeroinitializer
  %232 = tail call <2 x float> @llvm.fmuladd.v2f32(<2 x float> %231, <2 x float> %164, <2 x float> %229)
  %233 = insertelement <2 x float> poison, float %141, i64 0
  %234 = shufflevector <2 x float> %233, <2 x float> poison, <2 x i32> zeroinitializer
  %235 = tail call <2 x float> @llvm.fmuladd.v2f32(<2 x float> %234, <2 x float> %168, <2 x float> %232)
  %236 = insertelement <2 x float> poison, float %145, i64 0
  %237 = shufflevector <2 x float> %236, <2 x float> poison, <2 x i32> zeroinitializer
  %238 = tail call <2 x float> @llvm.fmuladd.v2f32(<2 x float> %237, <2 x float> %172, <2 x float> %235)
  %239 = insertelement <2 x float> poison, float %149, i64 0
  %240 = shufflevector <2 x float> %239, <2 x float> poison, <2 x i32> zeroinitializer
  %241 = tail call <2 x float> @llvm.fmuladd.v2f32(<2 x float> %240, <2 x float> %176, <2 x float> %238)
  %242 = insertelement <2 x float> poison, float %153, i64 0
  %243 = shufflevector <2 x float> %242, <2 x float> poison, <2 x i32> zeroinitializer
  %244 = tail call <2 x float> @llvm.fmuladd.v2f32(<2 x float> %243, <2 x float> %180, <2 x float> %241)
  %245 = insertelement <2 x float> poison, float %157, i64 0
  %246 = shufflevector <2 x float> %245, <2 x float> poison, <2 x i32> zeroinitializer
  %247 = tail call <2 x float> @llvm.fmuladd.v2f32(<2 x float> %246, <2 x float> %184, <2 x float> %244)
  %248 = insertelement <2 x float> poison, float %158, i64 0
  %249 = shufflevector <2 x float> %248, <2 x float> poison, <2 x i32> zeroinitializer
  %250 = tail call <2 x float> @llvm.fmuladd.v2f32(<2 x float> %249, <2 x float> %184, <2 x float> %183)
  %251 = load <2 x float>, ptr addrspace(3) %70, align 4, !tbaa !18
  %252 = insertelement <2 x float> poison, float %159, i64 0
  %253 = shufflevector <2 x float> %252, <2 x float> poison, <2 x i32> zeroinitializer
  %254 = tail call <2 x float> @llvm.fmuladd.v2f32(<2 x float> %253, <2 x float> %251, <2 x float> %205)
  %255 = load <2 x float>, ptr addrspace(3) %27, align 4, !tbaa !18
  %256 = tail call <2 x float> @llvm.fmuladd.v2f32(<2 x float> %162, <2 x float> %255, <2 x float> %79)
  %257 = load <2 x float>, ptr addrspace(3) %36, align 4, !tbaa !18
  %258 = tail call <2 x float> @llvm.fmuladd.v2f32(<2 x float> %166, <2 x float> %257, <2 x float> %256)
  %259 = load <2 x float>, ptr addrspace(3) %42, align 4, !tbaa !18
  %260 = tail call <2 x float> @llvm.fmuladd.v2f32(<2 x float> %170, <2 x float> %259, <2 x float> %258)
  %261 = load <2 x float>, ptr addrspace(3) %48, align 4, !tbaa !18
  %262 = tail call <2 x float> @llvm.fmuladd.v2f32(<2 x float> %174, <2 x float> %261, <2 x float> %260)
  %263 = load <2 x float>, ptr addrspace(3) %54, align 4, !tbaa !18
  %264 = tail call <2 x float> @llvm.fmuladd.v2f32(<2 x float> %178, <2 x float> %263, <2 x float> %262)
  %265 = load <2 x float>, ptr addrspace(3) %60, align 4, !tbaa !18
  %266 = tail call <2 x float> @llvm.fmuladd.v2f32(<2 x float> %182, <2 x float> %265, <2 x float> %264)
  %267 = load <2 x float>, ptr addrspace(3) %66, align 4, !tbaa !18
  %268 = tail call <2 x float> @llvm.fmuladd.v2f32(<2 x float> %186, <2 x float> %255, <2 x float> %85)
  %269 = tail call <2 x float> @llvm.fmuladd.v2f32(<2 x float> %189, <2 x float> %257, <2 x float> %268)
  %270 = tail call <2 x float> @llvm.fmuladd.v2f32(<2 x float> %192, <2 x float> %259, <2 x float> %269)
  %271 = tail call <2 x float> @llvm.fmuladd.v2f32(<2 x float> %195, <2 x float> %261, <2 x float> %270)
  %272 = tail call <2 x float> @llvm.fmuladd.v2f32(<2 x float> %198, <2 x float> %263, <2 x float> %271)
  %273 = tail call <2 x float> @llvm.fmuladd.v2f32(<2 x float> %201, <2 x float> %265, <2 x float> %272)
  %274 = tail call <2 x float> @llvm.fmuladd.v2f32(<2 x float> %204, <2 x float> %267, <2 x float> %273)
  %275 = tail call <2 x float> @llvm.fmuladd.v2f32(<2 x float> %207, <2 x float> %255, <2 x float> %83)
  %276 = tail call <2 x float> @llvm.fmuladd.v2f32(<2 x float> %210, <2 x float> %257, <2 x float> %275)
  %277 = tail call <2 x float> @llvm.fmuladd.v2f32(<2 x float> %213, <2 x float> %259, <2 x float> %276)
  %278 = tail call <2 x float> @llvm.fmuladd.v2f32(<2 x float> %216, <2 x float> %261, <2 x float> %277)
  %279 = tail call <2 x float> @llvm.fmuladd.v2f32(<2 x float> %219, <2 x float> %263, <2 x float> %278)
  %280 = tail call <2 x float> @llvm.fmuladd.v2f32(<2 x float> %222, <2 x float> %265, <2 x float> %279)
  %281 = tail call <2 x float> @llvm.fmuladd.v2f32(<2 x float> %225, <2 x float> %267, <2 x float> %280)
  %282 = tail call <2 x float> @llvm.fmuladd.v2f32(<2 x float> %228, <2 x float> %255, <2 x float> %81)
  %283 = tail call <2 x float> @llvm.fmuladd.v2f32(<2 x float> %231, <2 x float> %257, <2 x float> %282)
  %284 = tail call <2 x float> @llvm.fmuladd.v2f32(<2 x float> %234, <2 x float> %259, <2 x float> %283)
  %285 = tail call <2 x float> @llvm.fmuladd.v2f32(<2 x float> %237, <2 x float> %261, <2 x float> %284)
  %286 = tail call <2 x float> @llvm.fmuladd.v2f32(<2 x float> %240, <2 x float> %263, <2 x float> %285)
  %287 = tail call <2 x float> @llvm.fmuladd.v2f32(<2 x float> %243, <2 x float> %265, <2 x float> %286)
  %288 = tail call <2 x float> @llvm.fmuladd.v2f32(<2 x float> %246, <2 x float> %267, <2 x float> %287)
  %289 = tail call <2 x float> @llvm.fmuladd.v2f32(<2 x float> %249, <2 x float> %267, <2 x float> %266)
  %290 = load <2 x float>, ptr addrspace(3) %72, align 4, !tbaa !18
  %291 = tail call <2 x float> @llvm.fmuladd.v2f32(<2 x float> %253, <2 x float> %290, <2 x float> %274)
  %292 = load float, ptr addrspace(3) %73, align 4, !tbaa !18
  %293 = insertelement <2 x float> poison, float %292, i64 0
  %294 = shufflevector <2 x float> %293, <2 x float> poison, <2 x i32> zeroinitializer
  %295 = tail call <2 x float> @llvm.fmuladd.v2f32(<2 x float> %294, <2 x float> %251, <2 x float> %226)
  %296 = tail call <2 x float> @llvm.fmuladd.v2f32(<2 x float> %294, <2 x float> %290, <2 x float> %281)
  %297 = load float, ptr addrspace(3) %74, align 4, !tbaa !18
  %298 = insertelement <2 x float> poison, float %297, i64 0
  %299 = shufflevector <2 x float> %298, <2 x float> poison, <2 x i32> zeroinitializer
  %300 = tail call <2 x float> @llvm.fmuladd.v2f32(<2 x float> %299, <2 x float> %251, <2 x float> %247)
  %301 = tail call <2 x float> @llvm.fmuladd.v2f32(<2 x float> %299, <2 x float> %290, <2 x float> %288)
  %302 = load float, ptr addrspace(3) %75, align 4, !tbaa !18
  %303 = insertelement <2 x float> poison, float %302, i64 0
  %304 = shufflevector <2 x float> %303, <2 x float> poison, <2 x i32> zeroinitializer
  %305 = tail call <2 x float> @llvm.fmuladd.v2f32(<2 x float> %304, <2 x float> %251, <2 x float> %250)
  %306 = tail call <2 x float> @llvm.fmuladd.v2f32(<2 x float> %304, <2 x float> %290, <2 x float> %289)
  fence syncscope("workgroup") release
  tail call void @llvm.amdgcn.s.barrier()
  fence syncscope("workgroup") acquire
  %307 = add nuw nsw i32 %77, 8
  %308 = icmp slt i32 %307, %4
  br i1 %308, label %76, label %88

309:                                              ; preds = %86, %309
  %310 = phi i32 [ %327, %309 ], [ %6, %86 ]
  %311 = lshr i32 %310, 3
  %312 = add nuw nsw i32 %311, %10
  %313 = mul nsw i32 %312, %4
  %314 = add i32 %87, %313
  %315 = sext i32 %314 to i64
  %316 = getelementptr inbounds float, ptr addrspace(1) %1, i64 %315
  %317 = load float, ptr addrspace(1) %316, align 4, !tbaa !18
  %318 = getelementptr inbounds [32 x [8 x float]], ptr addrspace(3) @gemm.tile_a, i32 0, i32 %311, i32 %22
  store float %317, ptr addrspace(3) %318, align 4, !tbaa !18
  %319 = lshr i32 %310, 5
  %320 = add nuw nsw i32 %319, %77
  %321 = mul nsw i32 %320, %3
  %322 = add i32 %23, %321
  %323 = sext i32 %322 to i64
  %324 = getelementptr inbounds float, ptr addrspace(1) %2, i64 %323
  %325 = load float, ptr addrspace(1) %324, align 4, !tbaa !18
  %326 = getelementptr inbounds [8 x [32 x float]], ptr addrspace(3) @gemm.tile_b, i32 0, i32 %319, i32 %21
  store float %325, ptr addrspace(3) %326, align 4, !tbaa !18
  %327 = add nuw nsw i32 %310, 64
  %328 = icmp ult i32 %310, 192
  br i1 %328, label %309, label %130
}

; Function Attrs: convergent mustprogress nocallback nofree nounwind willreturn
declare void @llvm.amdgcn.s.barrier() #3

; Function Attrs: convergent nofree norecurse nosync nounwind memory(argmem: readwrite)
define protected amdgpu_kernel void @matrix(ptr addrspace(1) nocapture noundef writeonly align 16 %0, ptr addrspace(1) nocapture noundef readonly align 8 %1, ptr addrspace(1) nocapture noundef readonly align 8 %2, i32 noundef %3) local_unnamed_addr #4 !kernel_arg_addr_space !20 !kernel_arg_access_qual !21 !kernel_arg_type !22 !kernel_arg_base_type !23 !kernel_arg_type_qual !24 {
  %5 = icmp sgt i32 %3, 0
  %6 = tail call noundef range(i32 0, 1024) i32 @llvm.amdgcn.workitem.id.x()
  br i1 %5, label %11, label %7

7:                                                ; preds = %11, %4
  %8 = phi <4 x float> [ zeroinitializer, %4 ], [ %21, %11 ]
  %9 = zext nneg i32 %6 to i64
  %10 = getelementptr inbounds <4 x float>, ptr addrspace(1) %0, i64 %9
  store <4 x float> %8, ptr addrspace(1) %10, align 16, !tbaa !25
  ret void

11:                                               ; preds = %4, %11
  %12 = phi i32 [ %22, %11 ], [ 0, %4 ]
  %13 = phi <4 x float> [ %21, %11 ], [ zeroinitializer, %4 ]
  %14 = shl nsw i32 %12, 6
  %15 = add nuw i32 %14, %6
  %16 = zext i32 %15 to i64
  %17 = getelementptr inbounds <4 x half>, ptr addrspace(1) %1, i64 %16
  %18 = load <4 x half>, ptr addrspace(1) %17, align 8, !tbaa !25, !amdgpu.noclobber !13
  %19 = getelementptr inbounds <4 x half>, ptr addrspace(1) %2, i64 %16
  %20 = load <4 x half>, ptr addrspace(1) %19, align 8, !tbaa !25, !amdgpu.noclobber !13
  %21 = tail call <4 x float> @llvm.amdgcn.mfma.f32.16x16x16f16(<4 x half> %18, <4 x half> %20, <4 x float> %13, i32 0, i32 0, i32 0)
  %22 = add nuw nsw i32 %12, 1
  %23 = icmp eq i32 %22, %3
  br i1 %23, label %7, label %11
}

; Function Attrs: convergent mustprogress nocallback nofree nosync nounwind willreturn memory(none)
declare <4 x float> @llvm.amdgcn.mfma.f32.16x16x16f16(<4 x half>, <4 x half>, <4 x float>, i32 immarg, i32 immarg, i32 immarg) #5

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare <2 x float> @llvm.fmuladd.v2f32(<2 x float>, <2 x float>, <2 x float>) #6

attributes #0 = { nofree norecurse nosync nounwind memory(argmem: readwrite) "amdgpu-flat-work-group-size"="64,64" "amdgpu-no-agpr" "amdgpu-no-completion-action" "amdgpu-no-default-queue" "amdgpu-no-dispatch-id" "amdgpu-no-dispatch-ptr" "amdgpu-no-heap-ptr" "amdgpu-no-hostcall-ptr" "amdgpu-no-implicitarg-ptr" "amdgpu-no-lds-kernel-id" "amdgpu-no-multigrid-sync-arg" "amdgpu-no-queue-ptr" "amdgpu-no-workgroup-id-x" "amdgpu-no-workgroup-id-y" "amdgpu-no-workgroup-id-z" "amdgpu-no-workitem-id-x" "amdgpu-no-workitem-id-y" "amdgpu-no-workitem-id-z" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="gfx90a" "target-features"="+16-bit-insts,+atomic-buffer-global-pk-add-f16-insts,+atomic-fadd-rtn-insts,+ci-insts,+dl-insts,+dot1-insts,+dot10-insts,+dot2-insts,+dot3-insts,+dot4-insts,+dot5-insts,+dot6-insts,+dot7-insts,+dpp,+gfx8-insts,+gfx9-insts,+gfx90a-insts,+mai-insts,+s-memrealtime,+s-memtime-inst,+wavefrontsize64" "uniform-work-group-size"="true" }
attributes #1 = { mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #2 = { convergent nofree norecurse nounwind "amdgpu-flat-work-group-size"="64,64" "amdgpu-no-agpr" "amdgpu-no-completion-action" "amdgpu-no-default-queue" "amdgpu-no-dispatch-id" "amdgpu-no-dispatch-ptr" "amdgpu-no-heap-ptr" "amdgpu-no-hostcall-ptr" "amdgpu-no-implicitarg-ptr" "amdgpu-no-lds-kernel-id" "amdgpu-no-multigrid-sync-arg" "amdgpu-no-queue-ptr" "amdgpu-no-workgroup-id-x" "amdgpu-no-workgroup-id-y" "amdgpu-no-workgroup-id-z" "amdgpu-no-workitem-id-x" "amdgpu-no-workitem-id-y" "amdgpu-no-workitem-id-z" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="gfx90a" "target-features"="+16-bit-insts,+atomic-buffer-global-pk-add-f16-insts,+atomic-fadd-rtn-insts,+ci-insts,+dl-insts,+dot1-insts,+dot10-insts,+dot2-insts,+dot3-insts,+dot4-insts,+dot5-insts,+dot6-insts,+dot7-insts,+dpp,+gfx8-insts,+gfx9-insts,+gfx90a-insts,+mai-insts,+s-memrealtime,+s-memtime-inst,+wavefrontsize64" "uniform-work-group-size"="true" }
attributes #3 = { convergent mustprogress nocallback nofree nounwind willreturn }
attributes #4 = { convergent nofree norecurse nosync nounwind memory(argmem: readwrite) "amdgpu-flat-work-group-size"="1,256" "amdgpu-no-agpr" "amdgpu-no-completion-action" "amdgpu-no-default-queue" "amdgpu-no-dispatch-id" "amdgpu-no-dispatch-ptr" "amdgpu-no-heap-ptr" "amdgpu-no-hostcall-ptr" "amdgpu-no-implicitarg-ptr" "amdgpu-no-lds-kernel-id" "amdgpu-no-multigrid-sync-arg" "amdgpu-no-queue-ptr" "amdgpu-no-workgroup-id-x" "amdgpu-no-workgroup-id-y" "amdgpu-no-workgroup-id-z" "amdgpu-no-workitem-id-x" "amdgpu-no-workitem-id-y" "amdgpu-no-workitem-id-z" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="gfx90a" "target-features"="+16-bit-insts,+atomic-buffer-global-pk-add-f16-insts,+atomic-fadd-rtn-insts,+ci-insts,+dl-insts,+dot1-insts,+dot10-insts,+dot2-insts,+dot3-insts,+dot4-insts,+dot5-insts,+dot6-insts,+dot7-insts,+dpp,+gfx8-insts,+gfx9-insts,+gfx90a-insts,+mai-insts,+s-memrealtime,+s-memtime-inst,+wavefrontsize64" "uniform-work-group-size"="true" }
attributes #5 = { convergent mustprogress nocallback nofree nosync nounwind willreturn memory(none) }
attributes #6 = { nocallback nofree nosync nounwind speculatable willreturn memory(none) }

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
!22 = !{!"float4_*", !"half4_*", !"half4_*", !"int"}
!23 = !{!"float __attribute__((ext_vector_type(4)))*", !"half __attribute__((ext_vector_type(4)))*", !"half __attribute__((ext_vector_type(4)))*", !"int"}
!24 = !{!"", !"const", !"const", !""}
!25 = !{!11, !11, i64 0}
