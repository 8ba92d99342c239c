/* QR codes as pictures of a page. libqrencode is loaded at the first code (base/shared_library.h). */
#ifndef ALFRED_CODEC_QR_CODE_H
#define ALFRED_CODEC_QR_CODE_H

#include "base/err.h"
#include "codec/view.h"

/* The text as an <svg> with a white ground and the margin that the standard demands, in the arena. Any
 * thread. RC_UNAVAILABLE: the library is missing. RC_TOO_BIG: the text is too long for a code. */
enum rc qr_code_svg(struct arena *a, const char *text, struct markup *out, struct err *e);

#endif
