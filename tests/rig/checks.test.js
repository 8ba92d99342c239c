// The checks of the code rules refuse violations.
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
        'src/store/account/user.c': '#include "app/account/auth.h"\n',
        'src/helper/work.c': '#include "web/http/web.h"\n',
        'src/store/open.c': '#include <sqlite3.h>\n',
        'src/llm/openai.c': '#include <curl/curl.h>\n',
        'src/app/tools/page.c': '#include <gumbo.h>\n',
        'src/app/tools/document.c': '#include <expat.h>\n',
        'src/app/turn/turn.c': 'const char *q = "SELECT id FROM turn";\n',
        'src/odd/thing.c': 'int x;\n',
        'src/app/flat.c': 'int x;\n',
        'src/app/tools/tools.c': '#include "app/turn/turn_private.h"\n',
        'src/web/chat/chat.c': '#include "web/fcgi/fcgi_private.h"\n',
        'src/web/stream/feed.c': '#include "app/turn/turn_private.h"\n',
        'src/helper/worker.c': '#include "store/search/vector_private.h"\n',
        'src/app/turn/up.c': '#include "../store/account/user.h"\n',
        'cgi/pages.c': 'const char *q = "DELETE FROM user";\n',
    };
    for (const [name, text] of Object.entries(bad)) {
        const { status, stdout } = check('check-layers', { [name]: text });
        assert.equal(status, 1, name);
        assert.match(stdout, new RegExp(`^${name}:1: `), name);
    }
});

test('check-layers refuses folders that include each other in a circle', () => {
    const { status, stdout } = check('check-layers', {
        'src/app/turn/turn.c': '#include "app/tools/tools.h"\n',
        'src/app/tools/tools.c': '#include "app/memory/memory.h"\n',
        'src/app/memory/memory.c': '#include "app/turn/turn.h"\n#include "app/memory/memory_private.h"\n',
    });
    assert.equal(status, 1);
    assert.match(stdout, /^folders include each other in a circle: .*app\/memory .*app\/turn .*\n$/);
});

test('check-layers refuses folders of scripts that import each other in a circle', () => {
    const tree = {
        'src/base/str.c': '',
        'static/js/chat/chat.js': 'import {\n  stop,\n} from "../turn/turn.js";\n',
        'static/js/turn/turn.js': 'import "../base/dom.js";\nconst later = () => import("../chat/chat.js");\n/** @import {Box} from "../chat/chat.js" */\n',
        'static/js/base/dom.js': '',
    };
    const right = check('check-layers', tree);
    assert.equal(right.status, 0, right.stdout);
    const { status, stdout } = check('check-layers', { ...tree, 'static/js/base/dom.js': 'import * as chat from "../chat/chat.js";\n' });
    assert.equal(status, 1);
    assert.match(stdout, /^folders include each other in a circle: .*static\/js\/base .*static\/js\/chat .*\n$/);
});

test('check-layers compares the tables of docs/architecture.md with the includes', () => {
    const document = (app, web = '| `chat` | the page |', scripts = '| `turn` | answers | base |\n| `base` | elements | |') => `# Architecture
## Layers and folders
| layer | folder | content |
|---|---|---|
| 0 | \`base\` | strings |
| 3 | \`app\` | functions |
| 4 | \`web\` | programs |
### Folders of app
| folder | content | uses |
|---|---|---|
${app}
### Folders of web
| folder | content |
|---|---|
${web}
### Folders of static/js
| folder | content | uses |
|---|---|---|
${scripts}
## The path of a message
| \`other\` | a table of something else |
`;
    const tree = {
        'src/base/str.c': '',
        'src/app/turn/turn.c': '#include "app/tools/tools.h"\n#include "base/str.h"\n',
        'src/app/tools/tools.c': '#include "app/tools/tools.h"\n',
        'src/web/chat/chat.c': '#include "app/turn/turn.h"\n',
        'static/js/turn/turn.js': 'import "../base/dom.js";\n',
        'static/js/base/dom.js': '',
    };
    const run = (...of) => check('check-layers', { ...tree, 'docs/architecture.md': document(...of) });
    const turn = '| `turn` | the engine | tools |', tools = '| `tools` | what a model may call | |';
    const right = run(`${turn}\n${tools}`);
    assert.equal(right.status, 0, right.stdout);
    for (const [what, says] of [
        [[turn], /^docs\/architecture\.md: app\/tools has no row in the tables of folders$/m],
        [[`${tools}\n${turn}`], /^docs\/architecture\.md:12: app\/turn uses app\/tools, which stands above it$/m],
        [['| `turn` | the engine | |\n' + tools], /^docs\/architecture\.md:11: app\/turn uses app\/tools, too \(src\/app\/turn\/turn\.c:1\)$/m],
        [[`${turn}\n| \`tools\` | calls | gone |`], /^docs\/architecture\.md:12: app\/tools does not use app\/gone$/m],
        [[`${turn}\n${tools}\n| \`gone\` | nothing | |`], /^docs\/architecture\.md:13: app\/gone does not exist$/m],
        [[tools], /^docs\/architecture\.md: app\/turn has no row in the tables of folders\n(.*\n)*docs\/architecture\.md: app\/turn uses app\/tools, too \(src\/app\/turn\/turn\.c:1\)$/m],
        [[`${turn}\n${tools}`, '| `search` | pages |'], /^docs\/architecture\.md: web\/chat has no row in the tables of folders$/m],
        [[`${turn}\n${tools}`, undefined, '| `turn` | answers | |'], /^docs\/architecture\.md: static\/js\/base has no row in the tables of folders\n.*: static\/js\/turn uses static\/js\/base, too \(static\/js\/turn\/turn\.js:1\)$/m],
    ]) {
        const { status, stdout } = run(...what);
        assert.equal(status, 1, `${says}`);
        assert.match(stdout, says);
    }
    const moved = check('check-layers', { ...tree, 'docs/architecture.md': document(`${turn}\n${tools}`).replace('| 3 |', '| 2 |') });
    assert.match(moved.stdout, /^docs\/architecture\.md:6: app is in layer 3$/m);
});

test('check-layers accepts what goes downwards', () => {
    const { status, stdout } = check('check-layers', {
        'src/web/fcgi/fcgi.c': '#include "web/fcgi/fcgi.h"\n#include "app/turn/turn.h"\n#include "assets.h"\n',
        'src/db/db_sqlite.c': '#include <sqlite3.h>\n#include "base/err.h"\n',
        'src/net/http.c': '#include <curl/curl.h>\n',
        'src/llm/llm.c': '#include "net/http.h"\n#include "codec/json/json.h"\n',
        'src/store/account/user.c': 'const char *q = "SELECT id FROM user";\n',
        'src/app/turn/turn.c': 'return err_set(e, RC_CONFLICT, "Select a session first, then update it");\n',
        'cgi/pages.c': '#include "web/http/web.h"\n#include "cli/cli.h"\n',
    });
    assert.equal(status, 0, stdout);
});

/** Checks one template with views that have these names. */
const checkTemplate = (text, names) => check('check-templates', { 'templates/x.mustache': text, 'src/x_view.c': names.map((n) => `"${n}"`).join('\n') });

test('check-templates refuses names that no view has', () => {
    for (const tag of ['{{tip}}', '{{#tip}}x{{/tip}}', '{{^tip}}x{{/tip}}', '{{{tip_html}}}']) {
        const { status, stdout } = checkTemplate(`<p>\n{{name}} ${tag}</p>\n`, ['name', 'tips']);
        assert.equal(status, 1, tag);
        assert.match(stdout, /^templates\/x\.mustache:2: no view has the name tip/, tag);
    }
    const { status, stdout } = checkTemplate('{{<layout}}{{$main}}{{t.name}} {{name}}{{>row}}{{/main}}{{/layout}}\n', ['name']);
    assert.equal(status, 0, stdout);
});

test('check-templates lets only names in _html through raw', () => {
    const names = ['name', 'a_html', 'b', 'body_html', 'text_html'];
    for (const tag of ['{{{name}}}', '{{& name }}', '{{{ a_html }}} {{&b}}', '{{=<% %>=}}']) {
        const { status, stdout } = checkTemplate(`<p>\n${tag}</p>\n`, names);
        assert.equal(status, 1, tag);
        assert.match(stdout, /^templates\/x\.mustache:2: /, tag);
    }
    const { status, stdout } = checkTemplate('{{name}} {{{body_html}}} {{& text_html}}', names);
    assert.equal(status, 0, stdout);
});

test('check-templates has texts of people isolated from what stands beside', () => {
    const names = ['title', 'workspace', 'q'];
    for (const line of ['<p>{{title}}</p>', '<p dir="auto">of {{title}}</p>', '<bdi>{{title}}</bdi> {{workspace}}', '<p dir="auto"><b>{{q}}</b></p>']) {
        const { status, stdout } = checkTemplate(`${line}\n`, names);
        assert.equal(status, 1, line);
        assert.match(stdout, /^templates\/x\.mustache:1: \{\{\w+\}\} is neither in <bdi>/, line);
    }
    const { status, stdout } = checkTemplate('<a title="{{title}}" dir="auto">{{#title}}{{title}}{{/title}}</a> “<bdi>{{q}}</bdi>” <span class="sr">of {{title}}</span>\n', names);
    assert.equal(status, 0, stdout);
});

test('request-types takes bodies of the packages’ types, and refuses any other', (t) => {
    const folder = `${ROOT}/build/requests-${process.pid}`; // below the packages
    mkdirSync(folder, { recursive: true });
    t.after(() => rmSync(folder, { recursive: true }));
    const run = (url, body) => {
        writeFileSync(`${folder}/one.json`, JSON.stringify({ [url]: [body] }));
        return spawnSync(process.execPath, [`${ROOT}/scripts/request-types.js`, folder], { encoding: 'utf8' });
    };
    const openai = { model: '', stream: true, messages: [{ role: 'user', content: '' }] };
    const claude = { model: '', stream: true, max_tokens: 1, messages: [{ role: 'user', content: [{ type: 'text', text: '' }] }] };
    assert.equal(run('/v1/chat/completions', openai).status, 0);
    assert.equal(run('/v1/messages', claude).status, 0);
    assert.equal(run('/bot/sendMessage', { chat_id: 1, text: '', parse_mode: 'HTML' }).status, 0);
    assert.equal(run('/bot/setWebhook', { url: '', allowed_updates: ['message', 'callback_query'] }).status, 0);
    for (const [url, wrong] of [
        ['/v1/chat/completions', { ...openai, max_token: 1 }],
        ['/v1/chat/completions', { ...openai, messages: [{ role: 'tool', content: '' }] }],
        ['/v1/messages', { ...claude, max_tokens: undefined }],
        ['/v1/messages', { ...claude, messages: [{ role: 'user', content: [{ type: 'thinking', thinking: '' }] }] }],
        ['/v1/embeddings', { model: '', input: 1 }],
        ['/bot/sendMessage', { chat_id: 1, text: '', parse_mode: 'Html' }],
        ['/bot/sendMessage', { chat_id: 1, text: '', disable_web_page_preview: true }],
        ['/bot/sendMesage', { chat_id: 1, text: '' }],
    ]) {
        const { status, stdout } = run(url, wrong);
        assert.equal(status, 1, JSON.stringify(wrong));
        assert.match(stdout, /requests\.ts\(\d+,\d+\): error TS/);
    }
    assert.equal(run('/other', {}).status, 1, 'no body is no check');
});

const EN = '{\n"language": {"name": "English"},\n"tasks": {\n    "add": "Add",\n    "day_1": "Monday"\n},\n"script": {\n    "copied": "Copied"\n}\n}\n';
const USES = {
    'lang/en.json': EN,
    'templates/tasks.mustache': '{{$main_class}}doc{{/main_class}}\n<p title="{{title}}">{{t.tasks.add}} <code>alfred</code></p>\n',
    'src/web/tasks/days.c': 'const char *f = "tasks.day_%d";\n',
    'static/js/copy.js': 'import { t } from "texts";\nconst key = "Enter";\nsay(t.copied);\n',
};

test('check-lang accepts texts that are used and uses that have a text', () => {
    assert.deepEqual(check('check-lang', USES), { status: 0, stdout: '' });
});

test('check-lang refuses unknown keys, texts without a use, and words that are not in the catalogue', () => {
    const bad = {
        'templates/tasks.mustache:1: no text tasks.none': { 'templates/tasks.mustache': '<p>{{t.tasks.none}}{{t.tasks.add}}</p>\n' },
        'templates/tasks.mustache:2: words outside of the catalogue: Add': { 'templates/tasks.mustache': '{{t.tasks.add}}\n<b>Add</b>\n' },
        'templates/tasks.mustache:1: words in an attribute: Options': { 'templates/tasks.mustache': '<p title="Options">{{t.tasks.add}}</p>\n' },
        'src/web/tasks/days.c:2: no text tasks.ad ': { 'src/web/tasks/days.c': 'const char *f = "tasks.day_%d";\nconst char *s = "tasks.ad";\n' },
        'static/js/copy.js:2: no text script.copy ': { 'static/js/copy.js': 'import { t } from "texts";\nsay(t.copy, t.copied);\n' },
        'static/js/copy.js:3: words of its own': { 'static/js/copy.js': 'import { t } from "texts";\nsay(t.copied);\nsay("Copied it");\n' },
        'lang/en.json:8: script.copied is not used': { 'static/js/copy.js': 'say();\n' },
    };
    for (const [what, files] of Object.entries(bad)) {
        const { status, stdout } = check('check-lang', { ...USES, ...files });
        assert.equal(status, 1, what);
        assert.ok(stdout.startsWith(what), `${what}: ${stdout}`);
    }
});

test('a migration or a language that is removed, as by a change of branches, leaves the program', () => {
    const made = (folder, target) => spawnSync('make', ['-n', '-W', folder, target], { cwd: ROOT, encoding: 'utf8' }).stdout;
    assert.match(made('src/db/migrations/sqlite', 'build/release/gen/migrations.inc'), /embed-migrations/);
    assert.match(made('lang', 'build/gen/lang.inc'), /embed-lang build/);
});
