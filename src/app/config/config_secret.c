/* Keys and tokens: from the environment, systemd's credentials, or data_dir/credentials. */
#include "app/config/config.h"

#include <errno.h>
#include <fcntl.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fs.h"

#define CREDENTIALS_FILE "credentials"
#define CREDENTIALS_MAX  (64 * 1024)

/* systemd's folder, one file per credential; only we can read it. */
static enum rc from_systemd(struct arena *a, const char *name, const char **out, struct err *e)
{
    const char *dir = getenv("CREDENTIALS_DIRECTORY");
    char path[FS_PATH_MAX];
    if (!dir || !*dir)
        return RC_NOT_FOUND;
    AUTO_STRBUF text;
    strbuf_init(&text, CREDENTIALS_MAX);
    enum rc rc = fs_join(path, dir, name, e);
    if (rc == RC_OK)
        rc = fs_read(path, &text, e);
    if (rc == RC_OK) {
        struct str value = str_trim(strbuf_str(&text));
        *out = arena_strndup(a, value.s, value.len);
        rc = value.len ? RC_OK : RC_NOT_FOUND;
    }
    sodium_memzero(text.s, text.len);
    return rc;
}

static enum rc check_private(const char *path, struct err *e)
{
    struct stat st;
    if (stat(path, &st) < 0)
        return errno == ENOENT ? RC_NOT_FOUND : err_set(e, RC_IO, "%s: %s", path, strerror(errno));
    if (st.st_mode & (S_IRWXG | S_IRWXO))
        return err_tell(e, RC_FORBIDDEN, "%.150s can be read by other users. Run chmod 600 on it.", path);
    if (access(path, R_OK) != 0) /* often a file that root has made for the service */
        return err_tell(e, RC_FORBIDDEN, "%.150s: %s. It must belong to the user that Alfred runs as.", path,
            strerror(errno));
    return RC_OK;
}

static enum rc find_line(
    struct arena *a, const char *path, struct str text, const char *name, const char **out, struct err *e)
{
    for (int line = 1; text.s; line++) {
        struct str value = str_trim(str_cut(&text, '\n'));
        if (value.len == 0 || value.s[0] == '#')
            continue;
        struct str key = str_trim(str_cut(&value, '='));
        if (!value.s || key.len == 0)
            return err_tell(e, RC_BAD_INPUT, "%.150s line %d: every line must be NAME=value", path, line);
        for (size_t i = 0; i < key.len; i++)
            if (!strchr(CONFIG_SECRET_CHARS, key.s[i]) || !key.s[i])
                return err_tell(
                    e, RC_BAD_INPUT, "%.150s line %d: a name has letters, digits and _ only", path, line);
        value = str_trim(value);
        if (value.len && strchr("\"'", value.s[0])) /* a provider would only report a wrong key */
            return err_tell(e, RC_BAD_INPUT, "%.150s line %d: a value must not be in quotes", path, line);
        if (str_is(key, name) && value.len) {
            *out = arena_strndup(a, value.s, value.len);
            return RC_OK;
        }
    }
    return RC_NOT_FOUND;
}

static enum rc from_file(
    const struct config *c, struct arena *a, const char *name, const char **out, struct err *e)
{
    char path[FS_PATH_MAX];
    enum rc rc = fs_join(path, c->server.data_dir, CREDENTIALS_FILE, e);
    if (rc == RC_OK)
        rc = check_private(path, e);
    if (rc != RC_OK)
        return rc;
    AUTO_STRBUF text;
    strbuf_init(&text, CREDENTIALS_MAX);
    if ((rc = fs_read(path, &text, e)) == RC_OK)
        rc = find_line(a, path, strbuf_str(&text), name, out, e);
    sodium_memzero(text.s, text.len);
    return rc;
}

enum rc config_secret(
    const struct config *c, struct arena *a, const char *name, const char **out, struct err *e)
{
    const char *value = getenv(name);
    if (value && *value) {
        *out = arena_strdup(a, value);
        return RC_OK;
    }
    enum rc rc = from_systemd(a, name, out, e);
    if (rc == RC_NOT_FOUND)
        rc = from_file(c, a, name, out, e);
    if (rc == RC_NOT_FOUND)
        return err_set(e, rc, "no secret %s", name);
    return rc;
}
