/*
 * The state that a FastCGI program shares among its threads. It is made before the threads start and is
 * read-only or thread-safe afterwards.
 */
#ifndef ALFRED_WEB_HTTP_WEB_H
#define ALFRED_WEB_HTTP_WEB_H

#include "app/config/config.h"
#include "app/models/providers.h"
#include "base/log.h"
#include "store/store.h"
#include "web/http/request.h"
#include "web/http/templates.h"

/* The last result of web/health. `reason` NULL: all is well. */
struct health {
    _Atomic int64_t since; /* ms, monotonic: a thread has been looking since then; 0: none looks */
    _Atomic int64_t until; /* ms, monotonic: then a thread looks again */
    const char *_Atomic reason;
    struct log_repeat failures; /* database_failed */
};

struct web {
    const char *program;
    const struct config *config;
    const struct providers *providers;
    struct store *store;
    struct templates *templates;
    struct time_zones *zones;
    struct html_cache *html;      /* HTML of finished messages and sidebars (web/page/html_cache.h) */
    struct html_cache *copy_html; /* of shared copies; only in the program `pages` */
    struct route_table routes;
    struct log_repeat failures[RC_COUNT]; /* of requests, by their error */
    struct log_repeat unstored_answers;   /* to requests that may be repeated (idempotent.h) */
    void *extra;                          /* data of one program: the stream's loop */
    struct places receiving, sending;     /* files that are transferred now (upload.h) */
    struct places embedding;              /* requests of /v1/embeddings that run (web/models) */
    struct places transcribing;           /* recordings that a model writes down now (web/speech) */
    struct places documents;              /* PDF files that a program reads now (web/library) */
    struct long_bodies long_bodies;       /* those of /v1 in memory (long_body.h) */
    _Atomic bool testing_provider;        /* a thread tests a provider (web/models) */
    _Atomic int showing_copies;           /* threads that render a shared conversation (web/share) */
    struct health health;
    _Atomic bool asking_telegram; /* a thread sends requests to Telegram (web/channel) */
};

#endif
