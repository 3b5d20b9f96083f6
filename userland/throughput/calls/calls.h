/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Functions of frameworks that programs call once for each unit. All of their arguments are
 * integers or pointers, six at most.
 */
#ifndef CALLS_H
#define CALLS_H

/* CALL(function, is the call a unit, by its result?, does it count if no function is named?) */
#define EACH_CALL(CALL)                                   \
	/* A picture is shown. */                         \
	CALL(SDL_RenderPresent, true, true)               \
	CALL(SDL_GL_SwapWindow, true, true)               \
	CALL(SDL_UpdateWindowSurface, true, true)         \
	CALL(SDL_Flip, !(int)result, true)                \
	CALL(glfwSwapBuffers, true, true)                 \
	CALL(glXSwapBuffers, true, true)                  \
	CALL(eglSwapBuffers, (int)result, true)           \
	/* A picture, or some sound, is encoded. */       \
	CALL(avcodec_receive_packet, !(int)result, true)  \
	CALL(x264_encoder_encode, (int)result > 0, true)  \
	/* A picture, or some sound, is decoded. */       \
	CALL(avcodec_receive_frame, !(int)result, false)  \
	/* All threads, or processes, work together. */   \
	CALL(GOMP_parallel, true, true)                   \
	CALL(MPI_Allreduce, !(int)result, true)           \
	CALL(MPI_Barrier, !(int)result, true)             \
	/* A client asks for something. */                \
	CALL(accept, (int)result >= 0, false)             \
	CALL(accept4, (int)result >= 0, false)

/*
 * Environment variables that tell the library: name, unit, goal ("MIN-MAX"), weight, and function.
 */
#define CALLS_NAME "THROUGHPUT_NAME"
#define CALLS_UNIT "THROUGHPUT_UNIT"
#define CALLS_GOAL "THROUGHPUT_GOAL"
#define CALLS_WEIGHT "THROUGHPUT_WEIGHT"
#define CALLS_FUNCTION "THROUGHPUT_FUNCTION"
#define CALLS_ANY "any"

#endif /* CALLS_H */
