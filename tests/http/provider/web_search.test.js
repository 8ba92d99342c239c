// The web search of a provider: off until its user switches it on, its query among the reasoning, its sources as links in the
// answer, and what it found is untrusted.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';

import { answers } from '../../fake/provider.js';
import { PAGES } from '../../fake/strict_search.js';
import { startStrict } from '../../fake/strict.js';
import { asksForAnswer, ended, provide, send, serveFile, sessionOf } from '../../lib/chat.js';

const reply = () => 'Answered.';
const strict = {
    claude: await startStrict({ server: 'anthropic', models: [{ id: 'claude-sonnet-5', window: 200000 }, { id: 'claude-old', window: 200000, search: false }], reply }),
    openai: await startStrict({ models: [{ id: 'gpt-4.1', window: 128000 }, { id: 'o4-mini', window: 128000, reasoning: 200 }, { id: 'gpt-4.1-nano', window: 128000, search: false }], reply }),
    router: await startStrict({ server: 'openrouter', models: [{ id: 'maker/model', window: 32768 }], reply }),
    gateway: await startStrict({ server: 'vllm', models: [{ id: 'local', window: 32000 }], reply }),
    bare: await startStrict({ noResponses: true, models: [{ id: 'bare', window: 32000 }], reply }),
};
for (const one of Object.values(strict)) after(() => one.stop());
/** Plays a model that does what a page says. */
const obedient = await provide();
const alfred = await serveFile({
    config: {
        models: { discover: 'no' },
        'provider.claude': { kind: 'anthropic', base_url: 'http://api.anthropic.com', proxy: strict.claude.url },
        'provider.openai': { kind: 'openai', base_url: 'http://api.openai.com/v1', proxy: strict.openai.url },
        'provider.router': { kind: 'openai', base_url: 'http://openrouter.ai/v1', proxy: strict.router.url },
        'provider.obedient': { kind: 'anthropic', base_url: obedient.anthropicEnv.ANTHROPIC_BASE_URL, web_search: 'yes', models: ['claude-obedient'] },
        'provider.sonar': { kind: 'openai', base_url: obedient.env.OPENAI_BASE_URL, models: ['sonar'] },
        'provider.gateway': { kind: 'openai', base_url: strict.gateway.url },
        'provider.bare': { kind: 'openai', base_url: strict.bare.url, web_search: 'yes' },
    },
});
const anna = await alfred.admin('anna'), bob = await alfred.user('bob');
assert.equal((await anna.request('PATCH', '/api/settings', { json: { web_search: true } })).status, 200);

const LINKS = `([example.org](<${PAGES[0].url}>), [tea.example.com](<${PAGES[1].url}>))`;
const offered = (request) => request.body.tools?.filter((tool) => ['web_search_20250305', 'web_search', 'openrouter:web_search'].includes(tool.type)) ?? [];

async function ask(who, choice, text, session = 'new') {
    const sent = await send(who, text, { choice, session });
    const end = await ended(who, sent.turn);
    assert.equal(end.status, 'done', end.error);
    return { session: sent.session, end, messages: (await sessionOf(who, sent.session)).messages };
}
/** The requests for answers since the last call. */
function asked(of) {
    const chats = of.requests.splice(0);
    return chats.filter((r) => r.body.tools?.length > 2);
}

test('Anthropic: the query is reasoning, and the sources are links behind their text', async () => {
    asked(strict.claude);
    const { messages, session } = await ask(anna, 'claude/claude-sonnet-5', 'Please search the web for green tea');
    assert.equal(messages.at(-1).text, `Found green tea ${LINKS}.`);
    assert.equal(messages.at(-1).reasoning.trim(), 'Searched the web: green tea');
    const [request, ...others] = asked(strict.claude);
    assert.deepEqual(offered(request), [{ type: 'web_search_20250305', name: 'web_search', max_uses: 5 }]);
    assert.deepEqual(others, []);
    const { text } = await anna.get(`/s/${session}`);
    assert.match(text, /<a [^>]*href="https:\/\/www\.example\.org\/tea"[^>]*>example\.org<\/a>/);
    assert.match(text, /Searched the web: green tea/);
    assert.ok(!text.includes('evil.example'), 'nothing of the title of a page');
    await ask(anna, 'claude/claude-sonnet-5', 'And what else?', session);
    assert.ok(asked(strict.claude).every((r) => r.status === 200));
});

test('OpenAI: asked at /responses, and only a source that the text does not name is added', async () => {
    for (const model of ['gpt-4.1', 'o4-mini']) {
        asked(strict.openai);
        const { messages, session } = await ask(anna, `openai/${model}`, 'Please search the web for green tea');
        assert.equal(messages.at(-1).text, `Found green tea ([example.org](${PAGES[0].url})). ([tea.example.com](<${PAGES[1].url}>))`);
        assert.match(messages.at(-1).reasoning, /Searched the web: green tea/);
        const [request] = asked(strict.openai);
        assert.equal(request.path, '/v1/responses');
        assert.deepEqual(offered(request), [{ type: 'web_search' }]);
        await ask(anna, `openai/${model}`, 'And what else?', session);
        assert.deepEqual(asked(strict.openai).map((r) => r.refusal), [null]);
    }
});

test('OpenRouter: its server tool, and the sources of its annotations', async () => {
    asked(strict.router);
    const { messages, session } = await ask(anna, 'router/maker/model', 'Please search the web for green tea');
    assert.equal(messages.at(-1).text, `Found green tea ([example.org](${PAGES[0].url})). ([tea.example.com](<${PAGES[1].url}>))`);
    const [request, ...others] = asked(strict.router);
    assert.deepEqual([request.path, offered(request), request.refusal, others], ['/v1/chat/completions', [{ type: 'openrouter:web_search' }], null, []]);
    await ask(anna, 'router/maker/model', 'And what else?', session);
    assert.deepEqual(asked(strict.router).map((r) => r.refusal), [null]);
});

test('a search and a tool in one step: the provider gets its blocks back', async () => {
    for (const [choice, of] of [['claude/claude-sonnet-5', strict.claude], ['openai/gpt-4.1', strict.openai], ['openai/o4-mini', strict.openai], ['router/maker/model', strict.router]]) {
        asked(of);
        const { messages } = await ask(anna, choice, 'Please search the web for green tea. Then call the tool current_time');
        assert.deepEqual(messages.map((m) => m.role), ['user', 'assistant', 'tool', 'assistant']);
        const requests = asked(of);
        assert.deepEqual(requests.map((r) => r.refusal), [null, null], choice);
        const sent = JSON.stringify(requests[1].body.messages ?? requests[1].body.input);
        if (of === strict.claude) assert.match(sent, /"server_tool_use".*"web_search_tool_result".*"citations":.*"tool_use"/);
        if (choice.endsWith('o4-mini')) assert.match(sent, /"reasoning".*"web_search_call".*"function_call"/);
    }
});

test('after a search the model stores nothing by itself, not even in the same step', async () => {
    const remembers = (searches) => async (call) => {
        await call.start();
        if (searches) {
            await call.write(`event: content_block_start\ndata: {"type":"content_block_start","index":2,"content_block":{"type":"server_tool_use","id":"srvtoolu_1","name":"web_search","input":{"query":"cats"}}}\n\n`);
            await call.write(`event: content_block_stop\ndata: {"type":"content_block_stop","index":2}\n\n`);
        }
        await call.toolCall('remember', { text: 'My cat is called Tom' });
        await call.end('tool_calls');
    };
    const facts = async () => (await anna.getJson('/api/memories')).memories.length;
    for (const [searches, before, after_] of [[true, 0, 0], [false, 0, 1]]) {
        assert.equal(await facts(), before);
        obedient.next(remembers(searches), (call) => asksForAnswer(call) && !call.hasToolResult);
        obedient.next(answers('Done.'), (call) => asksForAnswer(call) && call.hasToolResult);
        await ask(anna, 'obedient/claude-obedient', 'Remember that my cat is called Tom');
        assert.equal(await facts(), after_, searches ? 'it waits for the user' : 'it is what the user asked for');
    }
});

test('a model that searches by itself: the numbers of its text become numbered links', async () => {
    const search_results = [{ title: 'Tea', url: PAGES[0].url, date: '2026-11-01' }, { title: 'Leaves', url: PAGES[1].url }];
    obedient.next(async (call) => {
        await call.start();
        await call.text('Green tea[2].');
        const last = { id: 'c', object: 'chat.completion.chunk', choices: [{ index: 0, delta: { content: '' }, finish_reason: 'stop' }], citations: search_results.map((r) => r.url), search_results };
        await call.write(`data: ${JSON.stringify(last)}\n\ndata: [DONE]\n\n`);
        await call.close();
    }, asksForAnswer);
    const { messages, session } = await ask(bob, 'sonar/sonar', 'What is green tea?');
    assert.equal(messages.at(-1).text, `Green tea[2].\n\n[1] [example.org](<${PAGES[0].url}>), [2] [tea.example.com](<${PAGES[1].url}>)`);
    assert.match((await bob.get(`/s/${session}`)).text, /\[2\] <a [^>]*href="https:\/\/tea\.example\.com[^>]*>tea\.example\.com<\/a>/);
});

test('off: for other users, for other servers, and for a persona without tools', async () => {
    asked(strict.claude);
    asked(strict.openai);
    await ask(bob, 'claude/claude-sonnet-5', 'Please search the web for green tea');
    await ask(bob, 'openai/gpt-4.1', 'Please search the web for green tea');
    await ask(anna, 'gateway/local', 'Please search the web for green tea');
    const { persona } = (await anna.postJson('/api/personas', { name: 'Plain', text: 'Be brief.', tools: '' })).json;
    const sent = await send(anna, 'Please search the web for green tea', { choice: 'claude/claude-sonnet-5', persona: persona.id });
    assert.equal((await ended(anna, sent.turn)).status, 'done');
    for (const of of [strict.claude, strict.openai, strict.gateway]) assert.deepEqual(of.requests.flatMap(offered), []);
    assert.equal(asked(strict.openai)[0].path, '/v1/chat/completions');
});

test('a model without it answers without it, says so once, and is not offered it again', async () => {
    for (const [choice, of] of [['claude/claude-old', strict.claude], ['openai/gpt-4.1-nano', strict.openai]]) {
        asked(of);
        const { end, messages, session } = await ask(anna, choice, 'Please search the web for green tea');
        assert.match(end.error, /cannot search the web here/);
        assert.equal(messages.at(-1).text, 'Answered.');
        assert.deepEqual(asked(of).map((r) => [r.status, offered(r).length]), [[400, 1], [200, 0]]);
        await ask(anna, choice, 'Please search the web for black tea', session);
        assert.deepEqual(asked(of).map((r) => [r.status, offered(r).length]), [[200, 0]]);
    }
});

test('a server that has no /responses is asked at /chat/completions', async () => {
    asked(strict.bare);
    const { messages } = await ask(anna, 'bare/bare', 'Please search the web for green tea');
    assert.equal(messages.at(-1).text, 'Answered.');
    assert.deepEqual(asked(strict.bare).map((r) => [r.path, r.status]), [['/v1/responses', 404], ['/v1/chat/completions', 200]]);
    await ask(anna, 'bare/bare', 'Please search the web for black tea');
    assert.deepEqual(asked(strict.bare).map((r) => [r.path, r.status]), [['/v1/chat/completions', 200]]);
});
