// The checks of the house rules refuse what they are there to refuse.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { test } from 'node:test';

import { ROOT } from '../lib/rig.js';

/** Runs a check over a tree of {path: text}; gives its exit code and output. */
function check(script, files) {
    const dir = mkdtempSync(path.join(os.tmpdir(), 'alfred-check-'));
    try {
        for (const folder of ['src', 'cgi', 'templates']) mkdirSync(`${dir}/${folder}`);
        for (const [name, text] of Object.entries(files)) {
            mkdirSync(path.dirname(`${dir}/${name}`), { recursive: true });
            writeFileSync(`${dir}/${name}`, text);
        }
        const { status, stdout } = spawnSync(`${ROOT}/scripts/${script}`, [dir], { encoding: 'utf8' });
        return { status, stdout };
    } finally {
        rmSync(dir, { recursive: true });
    }
}

test('check-layers refuses what leads upwards, sideways or past a port', () => {
    const bad = {
        'src/base/str.c': '#include "codec/html.h"\n',
        'src/codec/html.c': '#include "net/http.h"\n',
        'src/store/user.c': '#include "app/auth.h"\n',
        'src/helper/work.c': '#include "web/web.h"\n',
        'src/web/route.c': '#include <fcgiapp.h>\n',
        'src/store/open.c': '#include <sqlite3.h>\n',
        'src/llm/openai.c': '#include <curl/curl.h>\n',
        'src/app/turn.c': 'const char *q = "SELECT id FROM turn";\n',
        'src/odd/thing.c': 'int x;\n',
        'src/app/up.c': '#include "../store/user.h"\n',
        'cgi/pages.c': 'const char *q = "DELETE FROM user";\n',
    };
    for (const [name, text] of Object.entries(bad)) {
        const { status, stdout } = check('check-layers', { [name]: text });
        assert.equal(status, 1, name);
        assert.match(stdout, new RegExp(`^${name}:1: `), name);
    }
});

test('check-layers accepts what goes downwards', () => {
    const { status, stdout } = check('check-layers', {
        'src/web/fcgi/fcgi.c': '#include <fcgiapp.h>\n#include "web/fcgi.h"\n#include "app/turn.h"\n#include "assets.h"\n',
        'src/db/db_sqlite.c': '#include <sqlite3.h>\n#include "base/err.h"\n',
        'src/net/http.c': '#include <curl/curl.h>\n',
        'src/llm/llm.c': '#include "net/http.h"\n#include "codec/json.h"\n',
        'src/store/user.c': 'const char *q = "SELECT id FROM user";\n',
        'src/app/turn.c': 'return err_set(e, RC_CONFLICT, "Select a session first, then update it");\n',
        'cgi/pages.c': '#include "web/web.h"\n#include "cli/cli.h"\n',
    });
    assert.equal(status, 0, stdout);
});

test('check-templates lets only names in _html through raw', () => {
    for (const tag of ['{{{name}}}', '{{& name }}', '{{{ a_html }}} {{&b}}', '{{=<% %>=}}']) {
        const { status, stdout } = check('check-templates', { 'templates/x.mustache': `<p>\n${tag}</p>\n` });
        assert.equal(status, 1, tag);
        assert.match(stdout, /^templates\/x\.mustache:2: /, tag);
    }
    const { status, stdout } = check('check-templates', { 'templates/x.mustache': '{{name}} {{{body_html}}} {{& text_html}}' });
    assert.equal(status, 0, stdout);
});
