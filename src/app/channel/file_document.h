/* Files with text, as a part of the question (markdown_typed_file_write()). */
#ifndef ALFRED_APP_CHANNEL_FILE_DOCUMENT_H
#define ALFRED_APP_CHANNEL_FILE_DOCUMENT_H

#include "app/channel/file_kind.h"

#define DOCUMENT_BYTES_MAX ((int64_t)20 * 1024 * 1024) /* Telegram gives bots no larger ones */

/* file_kind.take */
enum rc file_document_take(const struct file_taking *t, struct str *out, struct err *e);

#endif
