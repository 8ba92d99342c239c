// Usage: tokens and costs by day and model, on the page and in the API.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { answers } from '../../fake/provider.js';
import { exchange, provide, serveFile } from '../../lib/chat.js';
import { until } from '../../lib/rig.js';

const provider = await provide({ title: 'A title by the model' });
const models = ['gpt-large', 'gpt-small'];
const alfred = await serveFile({
    config: {
        'provider.main': { kind: 'openai', base_url: `${provider.url}/v1`, models, prices: ['gpt-large 1000 2000 0'] },
        usage: { currency: 'EUR', member_month_cost: 5 },
        jobs: { retry_seconds: 0 },
    },
});
const anna = await alfred.admin('anna'), ben = await alfred.user('ben');
const usage = (client, query = '') => client.getJson(`/api/usage${query}`);

test('answers are counted with their tokens and costs, those of the background too, and stay when the chat is deleted', async () => {
    const { session } = await exchange(anna, provider, 'First', 'One.', { choice: 'main/gpt-large' });
    await exchange(anna, provider, 'Second', 'Two.', { session, choice: 'main/gpt-small' });
    await until('the title is counted', async () => (await usage(anna)).total.output_tokens >= 15);
    const seen = await usage(anna);
    assert.equal(seen.currency, 'EUR');
    const large = seen.models.find((m) => m.model === 'gpt-large'), small = seen.models.find((m) => m.model === 'gpt-small');
    assert.equal(large.answers, 1);
    assert.equal(large.cost, large.input_tokens * 1000 + large.output_tokens * 2000);
    assert.deepEqual([small.answers, small.cost], [1, null]);
    assert.equal(seen.days.length, 1);
    assert.deepEqual(seen.days[0].models.map((m) => m.model).sort(), models);

    const page = await anna.get('/usage');
    assert.match(page.text, /<svg[^>]*role="img"[^>]*aria-label="Tokens by day, at most [0-9,]+, on /);
    assert.match(page.text, /<g><title>[^<]*: [0-9,]+<\/title><rect /); // each bar says its day and figure
    assert.match(page.text, /EUR/);
    assert.match(page.text, /Models without a price/);
    assert.match(page.text, /Titles, summaries and other work in the background/);

    assert.ok((await anna.request('DELETE', `/api/sessions/${session}`)).status < 300);
    assert.deepEqual((await usage(anna)).total.answers, 2);
});

test('a user sees the own usage only; admins also see the sum of all', async () => {
    assert.deepEqual((await usage(ben)).total, { answers: 0, input_tokens: 0, output_tokens: 0, cached_tokens: 0, reasoning_tokens: 0, audio_seconds: 0, cost: null });
    assert.match((await ben.get('/usage')).text, /Nothing in this period/);
    await exchange(ben, provider, 'Hello', 'Hi.', { choice: 'main/gpt-small' });
    assert.equal((await usage(ben)).total.answers, 1);
    assert.equal((await usage(anna)).total.answers, 2);
    assert.equal((await anna.getJson('/api/usage/all')).total.answers, 3);
    assert.match((await anna.get('/admin/usage')).text, /Usage of all users/);
    for (const path of ['/admin/usage', '/api/usage/all']) assert.equal((await ben.get(path)).status, 403, path);
    assert.doesNotMatch((await ben.get('/usage')).text, /\/admin\/usage/);
});

const DAY_MS = 86_400_000, QUARTER_MS = 900_000;
/** A user, and a function that adds tokens at a time; a token costs 0.001 EUR. */
async function spender(name) {
    const client = await alfred.user(name);
    const { id } = alfred.sql('SELECT id FROM user WHERE name = ?', name)[0];
    const spend = (at, tokens) => alfred.sql("INSERT INTO usage (owner, quarter, provider, model, background, answers, tokens_in, tokens_out, tokens_cached, tokens_reasoning) VALUES (?, ?, 'main', 'gpt-large', 0, 1, ?, 0, 0, 0) ON CONFLICT DO UPDATE SET tokens_in = tokens_in + excluded.tokens_in", id, Math.floor(at / QUARTER_MS), tokens);
    return { id, client, spend };
}

test('the command /usage has the costs of the page', async () => {
    const { id, client: carl, spend } = await spender('carl');
    const cost = async (tokens) => {
        alfred.sql('DELETE FROM usage WHERE owner = ?', id);
        spend(Date.now(), tokens);
        const words = /(?:< |&lt; )?[0-9.]+[ \u00A0]EUR/;
        return [(await carl.get('/usage')).text, (await carl.postJson('/api/commands', { line: '/usage' })).json.markdown].map((text) => text.match(words)[0].replace('&lt;', '<'));
    };
    assert.deepEqual(await cost(1996), ['2.00\u00A0EUR', '2.00\u00A0EUR']);
    assert.deepEqual(await cost(4), ['< 0.01\u00A0EUR', '< 0.01\u00A0EUR']);
});

test('a member who has spent the limit of the month gets answers of models without a price only', async () => {
    const { client: dora, spend } = await spender('dora');
    spend(Date.now() - 32 * DAY_MS, 90_000);
    spend(Date.now(), 4_990);
    assert.deepEqual((await usage(dora)).month, { cost: 4_990_000, limit: 5_000_000 });
    const { session } = await exchange(dora, provider, 'Below the limit', 'Costs.', { choice: 'main/gpt-large' });
    spend(Date.now(), 10);
    const refused = async (body) => {
        const got = await dora.postJson('/api/sessions/new/messages', { text: 'Beyond it', ...body });
        assert.deepEqual([got.status, got.json.error.message], [400, 'Your 5 EUR for this month are spent. Choose a model without a price until next month, or ask the owner of this server.']);
    };
    await refused({ choice: 'main/gpt-large' });
    await refused({ choice: 'main/gpt-small', compare_with: 'main/gpt-large' });
    await exchange(dora, provider, 'Without a price', 'Goes on.', { session, choice: 'main/gpt-small' });
    assert.match((await dora.get('/usage')).text, /This month: 5\.[0-9]+\u00A0EUR of 5\.00\u00A0EUR/);
    assert.match((await dora.postJson('/api/commands', { line: '/usage' })).json.markdown, /This month: 5\.[0-9]+\u00A0EUR of/);
    assert.equal((await anna.getJson('/api/usage/all')).month, null);
});

test('an admin has no limit', async () => {
    const { client, spend } = await spender('emil');
    assert.equal((await alfred.cli(['user', 'role', 'emil', 'admin'])).code, 0);
    spend(Date.now(), 90_000);
    assert.equal((await usage(client)).month, null);
    await exchange(client, provider, 'By an admin', 'Costs.', { choice: 'main/gpt-large' });
});

test('ranges: bad numbers of days are refused with a sentence', async () => {
    for (const days of ['0', '367', '-1', 'x', '1e9']) assert.equal((await anna.get(`/api/usage?days=${days}`)).status, 400, days);
    assert.match((await anna.get('/usage?days=7')).text, /aria-current="page">7 days</);
    assert.equal((await usage(anna, '?days=1')).days.length, 1);
});
