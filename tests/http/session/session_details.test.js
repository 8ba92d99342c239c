// The page of one session: its figures, tools and branches, the same in the API.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { answers, callsTool } from '../../fake/provider.js';
import { asksForAnswer, ended, exchange, provide, send, serveFile } from '../../lib/chat.js';

const provider = await provide();
const alfred = await serveFile({ config: { 'provider.main': { kind: 'openai', base_url: `${provider.url}/v1`, models: ['large', 'small'], prices: ['large 1000 2000'] } } });
const anna = await alfred.admin('anna'), ben = await alfred.user('ben');
const details = (client, session) => client.get(`/api/sessions/${session}/details`);

test('details count messages, tokens with their cost, tools and branches', async () => {
    const { session } = await exchange(anna, provider, 'First', 'One.', { choice: 'main/large' });
    provider.next(callsTool('current_time', {}), (c) => asksForAnswer(c) && c.userText === 'What time is it?');
    const second = await exchange(anna, provider, 'What time is it?', 'Noon, <b>exactly</b> **now**.', { session, choice: 'main/small' });
    provider.next(answers('Another noon.'), asksForAnswer);
    const again = await anna.postJson(`/api/sessions/${session}/messages/${second.reply ?? (await anna.getJson(`/api/sessions/${session}/messages`)).messages.at(-1).id}/regenerate`, {});
    await ended(anna, again.json.turn);

    const { json } = await details(anna, session);
    assert.equal(json.questions, 2);
    assert.equal(json.tool_calls, 1);
    assert.deepEqual(json.tools, [{ name: 'current_time', calls: 1 }]);
    assert.deepEqual(json.channels, ['web']);
    assert.equal(json.branch_count, 2);
    assert.deepEqual(json.branches.map((b) => b.current), [true, false]);
    const large = json.models.find((m) => m.model === 'large'), small = json.models.find((m) => m.model === 'small');
    assert.equal(large.cost, large.input_tokens * 1000 + large.output_tokens * 2000);
    assert.equal(json.cost, large.cost);
    assert.equal(small.cost, null);
    assert.ok(json.bytes > 100);

    const page = await anna.get(`/sessions/${session}/details`);
    assert.match(page.text, /Branches/);
    assert.match(page.text, new RegExp(`<a href="/search\\?session=${session}">Search this session</a>`));
    assert.match(page.text, /Noon, exactly now\.|Noon, &lt;b&gt;exactly/);
    assert.match(page.text, /Looked at the clock|current_time/);
    for (const { url } of json.branches) assert.equal((await anna.get(url)).status, 200);
});

test('an empty and an offline session have details without costs; a foreign one is not found', async () => {
    const sent = await send(anna, 'hello', { choice: 'offline/offline' });
    await ended(anna, sent.turn);
    const { json } = await details(anna, sent.session);
    assert.deepEqual([json.cost, json.currency, json.tools, json.compactions], [null, null, [], 0]);
    assert.doesNotMatch((await anna.get(`/sessions/${sent.session}/details`)).text, /Branches/);
    const foreign = await details(ben, sent.session), absent = await details(ben, sent.session.replace(/.$/, (c) => (c === 'a' ? 'b' : 'a')));
    assert.equal(foreign.status, 404);
    assert.equal(foreign.text.replaceAll(/\d/g, ''), absent.text.replaceAll(/\d/g, ''));
    assert.equal((await ben.get(`/sessions/${sent.session}/details`)).status, 404);
});
