// Invalid titles from models: a session always gets a printable title of one line, or the one by rule.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { answers, fails } from '../../fake/provider.js';
import { asksForTitle, exchange, provide, serveFile, sessionOf } from '../../lib/chat.js';
import { until } from '../../lib/rig.js';

const provider = await provide();
const alfred = await serveFile({ env: provider.env, config: { jobs: { retry_seconds: 0 } } });
const anna = await alfred.admin('anna');
const htmlOf = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

const byRule = (name) => `How do bees find home, ${name}?`;
for (const [name, behave, expected] of [
    ['empty', answers(''), byRule],
    ['100 KB', answers('word '.repeat(20_000), 4096), byRule],
    ['one endless word', answers('x'.repeat(100_000), 4096), byRule],
    ['JSON', answers('{"title": "About bees"}'), '{"title": "About bees"}'],
    ['several lines', answers('First line\nSecond line\n\n# Third'), 'First line'],
    ['markup', answers('<script>alert(1)</script> **bold** {{csrf}}'), '<script>alert(1)</script> **bold** {{csrf}}'],
    ['control characters', answers('a\u0000b\u001b[31mc\u202ed'), 'a\ufffdb [31mc d'],
    ['always a failure', fails(500), byRule],
]) {
    test(`a title that is ${name}`, async () => {
        provider.always(behave, asksForTitle);
        const { session } = await exchange(anna, provider, byRule(name), 'By the sun.');
        const { title } = await until('a title', async () => {
            const got = (await sessionOf(anna, session)).session;
            return got.named && got;
        });
        assert.equal(title, expected instanceof Function ? expected(name) : expected);
        const page = await anna.get(`/s/${session}`);
        assert.equal(page.status, 200);
        assert.ok(page.text.includes(htmlOf(title)), 'shown as text');
        assert.doesNotMatch(page.text, /<script>alert/);
    });
}
