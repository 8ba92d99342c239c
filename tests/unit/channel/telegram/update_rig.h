/* Updates of the Bot API, read by a driver whose bot is number 777. */
#ifndef ALFRED_TESTS_CHANNEL_TELEGRAM_UPDATE_RIG_H
#define ALFRED_TESTS_CHANNEL_TELEGRAM_UPDATE_RIG_H

#include "base/mem.h"
#include "base/strbuf.h"
#include "channel/telegram/telegram.h"

#define TOKEN   "777:AAtoken"
#define PRIVATE "\"chat\":{\"id\":42,\"type\":\"private\"}"
#define GROUP   "\"chat\":{\"id\":-1001234567890,\"type\":\"supergroup\"}"
#define FORUM   "\"chat\":{\"id\":-1001234567890,\"type\":\"supergroup\",\"is_forum\":true}"
#define ANNA    "\"from\":{\"id\":42,\"is_bot\":false,\"first_name\":\"Anna\",\"last_name\":\"B\"}"
#define MESSAGE "{\"update_id\":1,\"message\":{\"message_id\":5,\"date\":1," ANNA ","
#define US      "\"from\":{\"id\":777,\"is_bot\":true,\"first_name\":\"A\"}"

struct fixture {
    struct arena *a;
    struct channel_driver d;
    struct channel_update u;
};

static struct fixture new_fixture(const char *name)
{
    struct fixture f = {.a = arena_new()};
    const struct telegram_setup s = {.api_url = "https://api.example", .token = TOKEN, .bot_name = name};
    assert_int_equal(telegram_new(&s, &f.d, NULL), RC_OK);
    return f;
}

static void drop(struct fixture *f)
{
    telegram_free(&f->d);
    arena_free(f->a);
}

static bool reads(struct fixture *f, const char *json)
{
    return f->d.read(f->d.self, f->a, str_of(json), &f->u);
}

#endif
