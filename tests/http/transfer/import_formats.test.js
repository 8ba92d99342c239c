// The exports of other services on their whole way: the upload, the session, the search.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { answers } from '../../fake/provider.js';
import { asksForSummary, exchange, sessionOf } from '../../lib/chat.js';
import { until } from '../../lib/rig.js';
import { bring, chatgpt, service } from '../../lib/transfer.js';
import { zip } from '../../lib/zip.js';

/** Imports conversations and returns the messages of the newest session. */
async function messagesOf(client, list) {
    const done = await bring(client, JSON.stringify(list));
    assert.deepEqual([done.state, done.done, done.skipped], ['done', list.length, 0], done.error);
    const { sessions } = await client.getJson('/api/sessions?show=all');
    return (await sessionOf(client, sessions[0].id)).messages;
}

const counts = ({ done, grown, skipped, known, changed }) => ({ done, grown, skipped, known, changed });
const found = async (client, word) => JSON.stringify((await client.getJson(`/api/search?q=${word}`)).hits);

/** A chat of Open WebUI with a question and an answer that has `more`. */
const openwebui = (id, more) => ({
    id,
    title: id,
    chat: { history: { currentId: 'a', messages: {
        q: { id: 'q', parentId: null, role: 'user', content: 'Weather?', timestamp: 1.7e9 },
        a: { id: 'a', parentId: 'q', role: 'assistant', model: 'qwen3', content: '', timestamp: 1.7e9 + 5, ...more },
    } } },
});

test('answers that Open WebUI keeps as items are shown and found', async (t) => {
    const { anna } = await service(t);
    const list = await messagesOf(anna, [openwebui('items', { output: [
        { type: 'reasoning', summary: [{ type: 'summary_text', text: 'Where?' }], duration: 2 },
        { type: 'function_call', call_id: 'c', name: 'weather', arguments: '{"city":"Oslo"}' },
        { type: 'function_call_output', call_id: 'c', output: [{ type: 'input_text', text: '-3' }] },
        { type: 'message', content: [{ type: 'output_text', text: 'Freezing.' }] },
    ] })]);
    assert.deepEqual(list.map((m) => [m.role, m.text]), [['user', 'Weather?'], ['assistant', ''], ['tool', '-3'], ['assistant', 'Freezing.']]);
    assert.match(await found(anna, 'freezing'), /Freezing/);
});

test('files, errors and tags of Open WebUI are kept', async (t) => {
    const { anna } = await service(t);
    const talk = openwebui('more', { error: { content: 'The provider is overloaded.' } });
    talk.meta = { tags: ['road_trip'] };
    talk.chat.history.messages.q.files = [{ type: 'file', name: 'n.txt', file: { data: { content: 'Quokka notes' } } }];
    const list = await messagesOf(anna, [talk]);
    assert.deepEqual(list.map((m) => [m.role, m.status, m.text]), [['user', 'done', 'Weather?\n\nn.txt:\n\nQuokka notes'], ['assistant', 'failed', '']]);
    assert.equal(list[1].error, 'The provider is overloaded.');
    const { sessions } = await anna.getJson('/api/sessions?show=all');
    assert.deepEqual(sessions[0].tags.map((tag) => tag.name ?? tag), ['road trip']);
    assert.ok((await anna.get(`/s/${sessions[0].id}`)).text.includes('The provider is overloaded.'));
    assert.match(await found(anna, 'quokka'), /Quokka/);
});

test('a later export of the account adds its new messages, except to a session that was continued here', async (t) => {
    const { provider, anna } = await service(t);
    const texts = (id, n) => Array.from({ length: n }, (_, i) => `${id} ${i % 2 ? 'answer' : 'question'} ${i}`);
    const talk = (id, n) => chatgpt(id, texts(id, n));
    const bringAll = (n) => bring(anna, JSON.stringify([talk('grows', n), talk('continued', n)]));
    assert.deepEqual(counts(await bringAll(2)), { done: 2, grown: 0, skipped: 0, known: 0, changed: 0 });
    const { sessions } = await anna.getJson('/api/sessions?show=all');
    const id = (name) => sessions.find((s) => s.title === `Title of ${name}`).id;
    await exchange(anna, provider, 'And here?', 'Here as well.', { session: id('continued') });

    assert.deepEqual(counts(await bringAll(4)), { done: 1, grown: 1, skipped: 1, known: 0, changed: 1 });
    assert.deepEqual((await sessionOf(anna, id('grows'))).messages.map((m) => m.text), texts('grows', 4));
    assert.deepEqual((await sessionOf(anna, id('continued'))).messages.map((m) => m.text), [...texts('continued', 2), 'And here?', 'Here as well.']);
    assert.match(await found(anna, 'grows'), /answer 3/);
    assert.match((await anna.get('/data')).text, /0 conversations, 1 got further messages, 1 skipped: 1 has further messages but differs here/);
    assert.deepEqual(counts(await bringAll(2)), { done: 0, grown: 0, skipped: 2, known: 2, changed: 0 }, 'an older export has nothing new');
});

/** A conversation of ChatGPT from its messages, each below the one before. */
function chatgptOf(id, messages) {
    const talk = chatgpt(id, messages.map(() => 'x'));
    messages.forEach((one, i) => Object.assign(talk.mapping[`${id}-${i}`].message, one));
    return talk;
}

test('canvases, reports and sources of ChatGPT can be read and found', async (t) => {
    const { anna } = await service(t);
    const words = (text) => ({ content_type: 'text', parts: [text] });
    const essay = `Otters ${'float and '.repeat(7000)} holdhands.`;
    const list = await messagesOf(anna, [chatgptOf('tools', [
        { content: words('Write about otters') },
        { recipient: 'canmore.create_textdoc', content: { content_type: 'code', text: JSON.stringify({ name: 'otters', type: 'document', content: essay }) } },
        { author: { role: 'tool', name: 'canmore.create_textdoc' }, content: words('Successfully created text document.') },
        { author: { role: 'assistant' }, recipient: 'api_tool.call_tool', content: { content_type: 'code', text: '{"path":"research"}' } },
        { author: { role: 'tool', name: 'api_tool.call_tool' }, content: words('The latest state of the widget is: completed'), metadata: { chatgpt_sdk: {
            attribution_id: 'connector_openai_deep_research',
            widget_state: JSON.stringify({ status: 'completed', report_message: {
                content: words('Seaweed anchors them【12†L3-L4】.'),
                metadata: { content_references: [{ matched_text: '【12†L3-L4】', alt: null, type: 'webpage_extended', title: 'Kelp', url: 'https://kelp.example/a' }] },
            } }),
        } } },
    ])]);
    assert.deepEqual(list.map((m) => m.role), ['user', 'assistant', 'tool', 'assistant', 'tool', 'assistant']);
    assert.equal(list[1].text, `**otters**\n\n\`\`\`markdown\n${essay}\n\`\`\``);
    assert.deepEqual(list[1].calls.map((c) => [c.name, c.arguments]), [['canmore_create_textdoc', '{"name":"otters","type":"document"}']]);
    assert.equal(list[5].text, 'Seaweed anchors them ([Kelp](https://kelp.example/a)).');
    assert.match(await found(anna, 'holdhands'), /holdhands/);
    assert.match(await found(anna, 'seaweed'), /Seaweed/);
});

test('artifacts and files of Claude can be read and found', async (t) => {
    const { anna } = await service(t);
    const message = (uuid, sender, parent, content) => ({ uuid, sender, parent_message_uuid: parent, created_at: '2026-01-02T03:04:05Z', text: '', content, attachments: [], files: [] });
    const list = await messagesOf(anna, [{ uuid: 'c', name: 'Claude', created_at: '2026-01-02T03:04:05Z', updated_at: '2026-01-02T03:04:06Z', chat_messages: [
        message('q', 'human', null, [{ type: 'text', text: 'A page, please' }]),
        message('a', 'assistant', 'q', [
            { type: 'text', text: 'Here it is.' },
            { type: 'tool_use', id: null, name: 'artifacts', input: { command: 'create', id: 'p', type: 'text/html', title: 'Page', content: '<p>platypus</p>' } },
            { type: 'tool_result', tool_use_id: null, content: [{ type: 'text', text: 'OK' }] },
            { type: 'tool_use', id: 't', name: 'create_file', input: { path: '/mnt/long.txt', file_text: `wombat ${'word '.repeat(60_000)}` } },
            { type: 'tool_result', tool_use_id: 't', content: [{ type: 'text', text: 'Created' }] },
            { type: 'text', text: 'Done.' },
        ]),
    ] }]);
    assert.deepEqual(list.map((m) => m.role), ['user', 'assistant', 'tool', 'assistant', 'tool', 'assistant']);
    assert.equal(list[1].text, 'Here it is.\n\n**Page**\n\n```html\n<p>platypus</p>\n```');
    assert.deepEqual(list[3].calls.map((c) => [c.name, c.arguments]), [['create_file', '{"path":"/mnt/long.txt"}']]);
    assert.match(await found(anna, 'platypus'), /platypus/);
    assert.match(await found(anna, 'wombat'), /wombat/);
});

test('titles, topics, summaries and facts of an import from another service ask no model', async (t) => {
    const { anna, alfred, provider } = await service(t);
    const talk = Array.from({ length: 6 }, (_, i) => (i % 2 ? `Answer ${i} about the garden.` : `I live in Berlin and have ${i} gardens.`));
    await bring(anna, JSON.stringify([chatgpt('named', talk), { ...chatgpt('unnamed', talk), title: null }]));
    alfred.sql("UPDATE job SET run_at = 0 WHERE state = 'ready'");
    await anna.postJson('/api/tasks', { text: 'Wake the helper' });
    const left = () => alfred.sql("SELECT count(*) AS n FROM job WHERE state <> 'done' AND kind IN ('title', 'topic', 'summarise', 'facts')")[0].n;
    const made = () => alfred.sql("SELECT count(*) AS n FROM summary WHERE provider = 'offline'")[0].n === 2 && left() === 0;
    await until('the jobs are done', made);
    assert.deepEqual(alfred.sql("SELECT DISTINCT kind FROM job WHERE kind IN ('title', 'topic', 'summarise', 'facts') ORDER BY kind").map((j) => j.kind), ['facts', 'summarise', 'title', 'topic']);
    assert.deepEqual(provider.calls.map((c) => c.path), []);
});

test('a model writes the summary that the user requests of an imported conversation', async (t) => {
    const { anna, provider } = await service(t);
    provider.always(answers('**About**\n\nGardens.'), asksForSummary);
    await bring(anna, JSON.stringify([chatgpt('old', ['What grows here?', 'Beans.'])]));
    const { id } = (await anna.getJson('/api/sessions?show=all')).sessions[0];
    assert.equal((await anna.postJson(`/api/sessions/${id}/summaries`, {})).status, 202);
    const got = await until('the summary is written', async () => {
        const now = await anna.getJson(`/api/sessions/${id}/summaries`);
        return !now.pending && now.summaries.length && now;
    });
    assert.equal(got.summaries.at(-1).text, '**About**\n\nGardens.');
});

/** A conversation of LibreChat with a question and `levels` of answers and questions in each other. */
function librechat(id, levels) {
    const message = (n) => ({
        messageId: `${id}-${n}`,
        parentMessageId: n ? `${id}-${n - 1}` : '00000000-0000-0000-0000-000000000000',
        isCreatedByUser: n % 2 === 0,
        model: n % 2 ? 'gpt-5' : null,
        text: `${id} message ${n}`,
        createdAt: new Date(1.7e12 + n * 1000).toISOString(),
        children: n < levels ? [message(n + 1)] : [],
    });
    return { conversationId: id, title: `Title of ${id}`, endpoint: 'agents', recursive: true, messages: [message(0)] };
}

test('conversations of LibreChat are imported, however deep they nest, alone or in a zip', async (t) => {
    const { anna } = await service(t);
    const one = librechat('heron', 301);
    assert.deepEqual(counts(await bring(anna, JSON.stringify(one))), { done: 1, grown: 0, skipped: 0, known: 0, changed: 0 });
    const { sessions } = await anna.getJson('/api/sessions?show=all');
    assert.equal(sessions[0].title, 'Title of heron');
    const { messages } = await sessionOf(anna, sessions[0].id);
    assert.deepEqual(messages.slice(-2).map((m) => [m.role, m.text]), [['user', 'heron message 300'], ['assistant', 'heron message 301']]);
    assert.match((await anna.get('/data')).text, /Import from LibreChat/);
    const file = zip([['a/Heron.json', JSON.stringify(librechat('heron', 303))], ['a/Egret.json', JSON.stringify(librechat('egret', 1))], ['a/notes.txt', '']]);
    assert.deepEqual(counts(await bring(anna, file)), { done: 2, grown: 1, skipped: 0, known: 0, changed: 0 });
    assert.deepEqual(counts(await bring(anna, JSON.stringify(librechat('deep', 1200)))), { done: 0, grown: 0, skipped: 1, known: 0, changed: 0 });
});

test('sources, reasoning and documents of other services are readable on the page', async (t) => {
    const { anna } = await service(t);
    const cite = '\ue200cite\ue202turn0search0\ue201';
    const gpt = chatgptOf('tea', [
        { content: { content_type: 'text', parts: ['Does tea help?'] } },
        { author: { role: 'assistant' }, content: { content_type: 'thoughts', thoughts: [{ summary: 'Weighing', content: 'Consider leaves.' }] } },
        { author: { role: 'assistant' }, content: { content_type: 'reasoning_recap', content: 'Thought for 4s' }, metadata: { finished_duration_sec: 4 } },
        { author: { role: 'assistant' }, content: { content_type: 'text', parts: [`Yes. ${cite}`] }, metadata: { content_references: [
            { matched_text: cite, type: 'grouped_webpages', alt: null, items: [{ title: 'Leaves', url: 'https://leaf.example/a' }] },
        ] } },
    ]);
    const claude = { uuid: 'c', name: '', created_at: '2024-10-24T21:15:18Z', updated_at: '2024-10-24T21:15:18Z', chat_messages: [
        { uuid: 'q', sender: 'human', text: 'A script', content: [], created_at: '2024-10-24T21:15:18Z' },
        { uuid: 'a', sender: 'assistant', created_at: '2024-10-24T21:15:19Z', content: [{ type: 'text', text: 'Here:\n<antArtifact identifier="s" type="application/vnd.ant.code" language="bash" title="A script">\nls <b>\n</antArtifact>', citations: [] }] },
    ] };
    const webui = openwebui('sources', { content: 'Freezing [1].', sources: [{ source: { name: 'weather' }, document: ['x'], metadata: [{ source: 'https://met.example/oslo', title: 'Met' }] }] });
    assert.equal((await bring(anna, JSON.stringify([gpt, claude, webui]))).done, 3);
    const { sessions } = await anna.getJson('/api/sessions?show=all');
    const page = async (title) => (await anna.get(`/s/${sessions.find((s) => s.title === title).id}`)).text;
    const tea = await page('Title of tea');
    assert.match(tea, /<a [^>]*href="https:\/\/leaf\.example\/a"[^>]*>Leaves<\/a>/);
    assert.match(tea, /Consider leaves\./);
    assert.doesNotMatch(tea, /[\ue200-\ue2ff]/);
    assert.match(await page('sources'), /<li>\[1\] <a [^>]*href="https:\/\/met\.example\/oslo"[^>]*>Met<\/a>/);
    const script = await page(sessions.find((s) => !['Title of tea', 'sources'].includes(s.title)).title);
    assert.match(script, /<strong>A script<\/strong>/);
    assert.match(script, /ls .*&lt;/);
    assert.doesNotMatch(script, /antArtifact/);
});
