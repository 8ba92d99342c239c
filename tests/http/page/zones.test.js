// Times that the server writes, and days that it reads, are in the user's time zone: at any hour, one of the two zones
// below has another day than UTC, the server's.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { exchange, provide, serveFile, sessionOf } from '../../lib/chat.js';

const DAY_MS = 24 * 60 * 60 * 1000;
const dayIn = (timeZone, at) => new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short' }).format(at);
const exactIn = (timeZone, at) => {
    const part = Object.fromEntries(new Intl.DateTimeFormat('en-GB', { timeZone, day: 'numeric', month: 'long', year: 'numeric', hour: '2-digit', minute: '2-digit', hourCycle: 'h23' }).formatToParts(at).map((p) => [p.type, p.value]));
    return `${part.day} ${part.month} ${part.year}, ${part.hour}:${part.minute}`;
};

const provider = await provide();
const alfred = await serveFile({ env: provider.env });
const anna = await alfred.admin('anna');

test('times in pages, and the days of a search, are in the zone of the user', async () => {
    const { session, turn } = await exchange(anna, provider, 'A question about sourdough', 'Yes.');
    const [asked] = (await sessionOf(anna, session)).messages;
    const at = new Date(asked.created_at);
    for (const time_zone of ['Pacific/Kiritimati', 'Pacific/Honolulu']) {
        assert.equal((await anna.request('PATCH', '/api/settings', { json: { time_zone } })).status, 200);
        const exact = exactIn(time_zone, at);
        for (const path of [`/s/${session}`, '/search?q=sourdough']) assert.ok((await anna.get(path)).text.includes(exact), `${path}: ${exact}`);
        const events = (await anna.get(`/page/turns/${turn}/events`, { headers: { accept: 'text/event-stream' } })).text;
        assert.ok(events.includes(exactIn(time_zone, new Date((await sessionOf(anna, session)).messages[1].created_at))), 'in an event, too');

        const today = dayIn(time_zone, at), tomorrow = dayIn(time_zone, new Date(at.getTime() + DAY_MS));
        const found = async (limit) => (await anna.getJson(`/api/search?q=sourdough&show=messages&${limit}`)).hits.length;
        assert.deepEqual([await found(`after=${today}`), await found(`after=${tomorrow}`), await found(`before=${today}`), await found(`before=${tomorrow}`)], [1, 0, 0, 1], `${time_zone} ${today}`);
    }
});

test('a shared page names the zone of its times by its distance to UTC', async () => {
    const { session } = await exchange(anna, provider, 'What time is it there?', 'Noon.');
    const { pathname } = new URL((await anna.postJson(`/api/sessions/${session}/shares`, {})).json.share.url);
    let tag = null;
    for (const [time_zone, words] of [['Pacific/Kiritimati', 'UTC+14'], ['Pacific/Marquesas', 'UTC-9:30'], ['Africa/Abidjan', 'UTC']]) {
        assert.equal((await anna.request('PATCH', '/api/settings', { json: { time_zone } })).status, 200);
        const page = await anna.get(pathname, { headers: { 'if-none-match': tag } });
        const [, at, exact, zone] = page.text.match(/<p class="meta">.*<time datetime="([^"]+)">([^<]+)<\/time> ([^<]+)<\/p>/);
        assert.deepEqual([exact, zone], [exactIn(time_zone, new Date(at)), words]);
        tag = page.headers.etag;
    }
});
