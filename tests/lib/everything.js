// An account with one of everything, and the address of every page: for tests that look at all pages.
import { answers, fails } from '../fake/provider.js';
import { ended } from './chat.js';
import { startBotApi } from './botapi.js';
import { png, upload } from './picture.js';
import { until } from './rig.js';
import { routeTables } from './routes.js';
import { chatgpt } from './transfer.js';

/** All that an answer can have. */
export const ANSWER = `# A heading

Words with \`code\` and [a link](https://example.org).

| one | two | three | four | five | six | seven | eight | nine |
|---|---|---|---|---|---|---|---|---|
| a | b | c | d | e | f | g | h | averyveryverylongwordwithoutanybreakinit |

\`\`\`js
const line = 'a line of code that is a good deal longer than the window of a telephone is wide, as they are';
${Array.from({ length: 20 }, (_, i) => `const line${i} = ${i};`).join('\n')}
\`\`\`

- [x] task
- [ ] open task

> A quotation

$$\\sum_{i=1}^{100} a_1 + a_2 + a_3 + a_4 + a_5 + a_6 + a_7 + a_8 + a_9 + a_{10} + a_{11} + a_{12} + a_{13}$$

AVeryLongWordWithoutAnyBreakInItAsInAnAddressOrAHashThatSomebodyPastedHereWithoutThinkingAboutPhones

שלום עולם, 味噌ラーメン
`;
const LONG = 'AVeryLongWordWithoutAnyBreakInItAsInAnAddressOrAHashThatSomebodyPastedHereWithoutThinkingAboutPhones';
const LATER = '2040-12-01T17:00';
/** Addresses that are no pages of ours: files, a file for printing (share.test.js), and the frame of the preview of the canvas, which canvas.test.js tests. The page for a code needs a begun sign-in (second_step.test.js). */
const NO_PAGES = ['/calendar/{link}', '/data/{transfer}/file', '/preview', '/pictures/{picture}', '/share/{link}/pictures/{picture}', '/preview/scripts', '/workspace/files/{file}/text', '/s/{session}/compactions/{compaction}/transcript', '/sessions/{session}/file', '/sessions/{session}/print', '/signin/code'];

/** Starts a Bot API for the part of the settings that it returns. */
export async function withBot(t) {
    const bot = await startBotApi({ t });
    return { env: { TELEGRAM_BOT_TOKEN: bot.token }, config: { telegram: { mode: 'poll', api_url: bot.url } } };
}

const write = (alfred, work) => alfred.database((db) => work((sql, ...values) => db.prepare(sql).all(...values)));

/** A conversation of `n` messages that ChatGPT exported. */
const conversation = (title, n) => chatgpt(title, Array.from({ length: n }, (_, i) => `Message ${i}.`), { title, create_time: 1.7e9, update_time: 1.7e9 });

/** Adds to the account of `anna` what takes a model or Telegram to make, as rows. Gives the id of a compaction. */
function addRows(alfred, full, messages) {
    return write(alfred, (sql) => {
        const [{ id: owner }] = sql("SELECT id FROM user WHERE name = 'anna'"), [{ id: session }] = sql('SELECT id FROM session WHERE pub = ?', full);
        const first = BigInt(messages[0].id), now = Date.now();
        sql("INSERT INTO compaction (session_id, first_id, last_id, messages, tokens_before, tokens_after, keep, text, facts, transcript, provider, model, created_at) VALUES (?, ?, ?, 2, 9000, 5, '', 'About **everything**', '[]', 'none.jsonl', 'offline', 'offline', ?)", session, first, BigInt(messages.at(-1).id), now);
        sql("INSERT INTO suggestion (owner, kind, state, text, source_id, created_at) VALUES (?, 'remember', 'open', 'Owns a boat', ?, ?)", owner, first, now);
        for (const text of ['Sails on Sundays', 'Has a dog', 'Likes rain']) sql("INSERT INTO suggestion (owner, kind, state, text, source_id, created_at) VALUES (?, 'remember', 'open', ?, ?, ?)", owner, text, first, now);
        const [{ id: fact }] = sql('SELECT max(id) AS id FROM memory WHERE owner = ?', owner);
        for (const [state, settled] of [['open', null], ['done', now]]) sql("INSERT INTO suggestion (owner, kind, state, text, session_id, message_id, subject, created_at, lapses_at, settled_at, undo_until) VALUES (?, 'forget', ?, '', ?, ?, ?, ?, ?, ?, ?)", owner, state, session, BigInt(messages.at(-1).id), fact, now, now + 1_800_000, settled, settled && now + 1_800_000);
        for (const task of ['send', 'fetch']) sql("INSERT INTO channel_problem (channel, task, error, at, next_at) VALUES ('telegram', ?, '401 Unauthorized', 1, ?)", task, now + 3_600_000);
        for (const subject of [1001, 1002, 1003]) sql("INSERT INTO job (kind, owner, subject, state, attempts, run_at, error, created_at, ended_at) VALUES ('summarise', ?, ?, 'dead', 5, 1, 'the provider answered 500: overloaded', ?, ?)", owner, subject, now, now);
        for (const [person, name, user] of [['11', 'Anna on the phone', owner], ['12', `Stranger ${LONG}`, null], ['13', 'Dora', null], ['14', 'Emil', null]]) sql("INSERT INTO channel_identity (channel, external_id, name, user_id, created_at, linked_at) VALUES ('telegram', ?, ?, ?, ?, ?)", person, name, user, now, user && now);
        sql("INSERT INTO channel_chat (channel, chat, thread, grouped, owner, sender, created_at) VALUES ('telegram', '-1001234567890', '', 1, ?, '11', 1)", owner);
        for (const [state, post, error] of [['ready', 1, null], ['failed', 2, '400 Bad Request: chat not found'], ['failed', 4, '400 Bad Request: chat not found'], ['doubtful', 3, 'no answer after the request was sent']]) sql('INSERT INTO outbox (chat_id, post, markdown, size, state, attempts, run_at, since_at, error, created_at, ended_at) SELECT max(id), ?, ?, 1234, ?, 3, ?, unixepoch() * 1000, ?, 1, ? FROM channel_chat', post, 'A text', state, now + 86_400_000, error, error && now);
        return String(sql('SELECT max(id) AS id FROM compaction')[0].id);
    });
}

/** A conversation of 300 messages, whose id is returned, and 1,000 sessions without messages. */
async function fillCrowd(alfred, crowd, ok) {
    const crowded = JSON.stringify([conversation('A long one', 300)]);
    await ok(crowd.request('POST', '/api/imports', { body: crowded, headers: { 'content-type': 'application/octet-stream', accept: 'application/json' } }));
    const long = await until('it is imported', async () => (await crowd.getJson('/api/sessions')).sessions.find((s) => s.title === 'A long one')?.id);
    write(alfred, (sql) => {
        const [{ id }] = sql("SELECT id FROM user WHERE name = 'carla'");
        sql('BEGIN IMMEDIATE');
        for (let i = 1; i <= 1000; i++) {
            const at = Date.now() - i * 8_000_000;
            sql("INSERT INTO session (pub, owner, title, titled_by, created_at, active_at, seen_at, message_count) VALUES (?, ?, ?, 'user', ?, ?, ?, 0)", `ses_${String(id).padStart(6, '0')}${String(i).padStart(20, '0')}`, id, `Talk ${i}`, at, at, at);
        }
        sql('COMMIT');
    });
    return long;
}

/** The address of every page, with its reader. */
function pagesOf(alfred, { anna, fresh, crowd, file, share, locked, full, failed, long, compaction, tag, edited, reminder, batch, gone }) {
    const path = (url) => new URL(url, alfred.baseUrl).pathname;
    return [
        ['sign-in', null, '/signin'],
        ['welcome', null, '/welcome'],
        ['shared conversation', null, path(share.url)],
        ['locked shared conversation', null, path(locked.url)],
        ['new chat', anna, '/'],
        ['temporary chat', anna, '/?temporary=1'],
        ['first chat', fresh, '/'],
        ['conversation', anna, `/s/${full}`],
        ['failed answer', anna, `/s/${failed}`],
        ['300 messages', crowd, `/s/${long}`],
        ['models', anna, '/models'],
        ['connected tools', anna, '/connected-tools'],
        ['answers of a conversation', anna, `/sessions/${full}/answers`],
        ['summary', anna, `/s/${full}/summary`],
        ['compaction', anna, `/s/${full}/compactions/${compaction}`],
        ['details', anna, `/sessions/${full}/details`],
        ['export of a conversation', anna, `/sessions/${full}/export`],
        ['links of a conversation', anna, `/sessions/${full}/share`],
        ['sessions', anna, '/sessions'],
        ['form of a session', anna, `/sessions?edit=${full}`],
        ['1,000 sessions', crowd, '/sessions'],
        ['no sessions', fresh, '/sessions'],
        ['nothing found', anna, '/sessions?q=nothing+like+this'],
        ['tags', anna, '/tags'],
        ['form of a tag', anna, `/tags?edit=${edited.id}`],
        ['question before a tag is deleted', anna, `/tags/${tag}/delete`],
        ['batch', anna, `/batches/${batch.id}`],
        ['files and instructions of a workspace', anna, '/workspace/instructions?workspace=Boat'],
        ['no files of a workspace', anna, '/workspace/instructions?workspace=Car'],
        ['question before a workspace is deleted', anna, '/workspace/delete?workspace=Boat'],
        ['file of a workspace', anna, `/workspace/files/${file.id}`],
        ['question before a file of a workspace is deleted', anna, `/workspace/files/${file.id}/delete`],
        ['question before an entry of the trash is erased', anna, `/trash/${gone}/erase`],
        ['trash', anna, '/trash'],
        ['empty trash', fresh, '/trash'],
        ['question before the trash is emptied', anna, '/trash/empty'],
        ['shared links', anna, '/shares'],
        ['search', anna, '/search?q=heading'],
        ['search without a result', anna, '/search?q=zyzzyva'],
        ['memory', anna, '/memory'],
        ['empty memory', fresh, '/memory'],
        ['question before memory is cleared', anna, '/memory/clear'],
        ['tasks', anna, '/tasks'],
        ['no tasks', fresh, '/tasks'],
        ['reminders', anna, '/reminders'],
        ['form of a reminder', anna, `/reminders?edit=${reminder.id}`],
        ['no reminders', fresh, '/reminders'],
        ['personas', anna, '/personas'],
        ['prompts', anna, '/prompts'],
        ['no prompts', fresh, '/prompts'],
        ['settings', anna, '/settings'],
        ['account', anna, '/account'],
        ['setup of two-step sign-in', anna, '/account/second-step'],
        ['data', anna, '/data'],
        ['no data', fresh, '/data'],
        ['use of tokens', anna, '/usage'],
        ['use of tokens by all', anna, '/admin/usage'],
        ['connect', anna, '/connect'],
        ['users', anna, '/admin/users'],
        ['jobs', anna, '/admin/jobs'],
        ['telegram', anna, '/admin/telegram'],
        ['outbox', anna, '/admin/outbox'],
        ['reference of the API', anna, '/api'],
        ['error', anna, '/nowhere'],
    ].map(([name, as, at]) => ({ name, as, path: at }));
}

/**
 * Fills the account of `anna`, an admin. Gives {anna, fresh, crowd, pages, ...}: `fresh` has nothing, `crowd` has 1,000
 * sessions and a conversation of 300 messages; a page is {name, as, path}, `as` is null for one without an account.
 */
export async function everything(alfred, provider) {
    const anna = await alfred.admin('anna');
    const fresh = await alfred.user('ben');
    const crowd = await alfred.user('carla');
    const ok = async (answer) => {
        const got = await answer;
        if (got.status >= 400) throw new Error(`${got.status} ${got.text.match(/<main.*/s)?.[0].slice(0, 500) ?? got.text.slice(0, 500)}`);
        return got.headers['content-type']?.includes('json') ? got.json : got;
    };
    const api = (path, json) => ok(anna.postJson(`/api${path}`, json));

    async function talk(client, text, behave, { session = 'new', ...more } = {}) {
        provider.next(behave, (call) => call.asks(text));
        const { turn, session: made } = await ok(client.postJson(`/api/sessions/${session}/messages`, { text, ...more }));
        await ended(client, turn);
        return made.id;
    }
    const pictures = [(await upload(anna, png(1200, 300))).id, (await upload(anna, png(200, 600, [30, 90, 160]))).id];
    const full = await talk(anna, `Show me everything ${LONG}`, answers(ANSWER, 400), { pictures });
    const failed = await talk(anna, 'Fail', fails(401));
    const gone = await talk(anna, 'Throw this away', answers('Gone.'));
    await ok(anna.request('PATCH', `/api/sessions/${full}`, { json: { title: `Everything ${LONG}`, tags: 'Garden', workspace: 'Boat' } }));
    provider.next(fails(401), (call) => call.userText === 'Fail');
    const again = await api(`/sessions/${failed}/messages/${(await anna.getJson(`/api/sessions/${failed}`)).messages.at(-1).id}/regenerate`, {});
    await ended(anna, again.turn);
    const messages = (await anna.getJson(`/api/sessions/${full}`)).messages;
    await ok(anna.request('DELETE', `/api/sessions/${gone}`, { json: {} }));
    const tag = (await anna.getJson('/api/tags')).tags[0].id;
    const { tag: edited } = await api('/tags', { name: `Tag-${LONG.slice(0, 30)}` });
    const { share } = await api(`/sessions/${full}/shares`, { name: 'Anna' });
    const { share: locked } = await api(`/sessions/${full}/shares`, { password: 'open sesame now' });
    const { batch } = await api('/sessions/batch', { action: 'pin', ids: [full] });
    await api('/memories', { text: `Plays the trumpet, ${LONG}`, permanent: true, tags: 'music' });
    await api('/memories', { text: 'Was in Lisbon' });
    for (const text of ['Mend the fence', LONG, 'Paint the door', 'Sweep the yard']) await api('/tasks', { text, due: LATER.slice(0, 10) });
    for (const { id } of (await anna.getJson('/api/tasks')).tasks.slice(2)) await ok(anna.request('PATCH', `/api/tasks/${id}`, { json: { done: true } }));
    const { reminder } = await api('/reminders', { text: 'Water the garden', at: LATER, repeat: 'FREQ=WEEKLY' });
    await api('/reminders', { text: `Rings ${LONG}`, at: LATER });
    await api('/personas', { name: 'Cook', text: 'You are a patient cook.' });
    await api('/prompts', { name: 'Translate', text: 'Into {{language}}, please: {{text}}', shared: true });
    await ok(anna.post('/account/second-step', { current: anna.password }));
    await ok(anna.post('/workspace/instructions', { workspace: 'Boat', text: 'Answer in knots.' }));
    const { file } = await api('/workspace/files', { workspace: 'Boat', name: `ropes ${LONG}.md`, text: `# Ropes\n\n${LONG}\n` });
    await api('/workspace/files', { workspace: 'Boat', name: 'knots.txt', text: 'Bowline\n' });
    await ok(anna.post('/reminders/calendar', {}));
    await ok(anna.post('/account/tokens', { name: 'Laptop', scope_chat: 'yes', days: '' }));
    await alfred.signIn('anna'); // a second login
    await api('/exports', {});
    await ok(anna.request('POST', '/api/imports', { body: 'Dear Alfred', headers: { 'content-type': 'application/json' } }));

    const compaction = addRows(alfred, full, messages);
    // A reminder that is due is over every page; the tests of pages that it would cover are with `crowd`.
    async function ring() {
        write(alfred, (sql) => sql("UPDATE reminder SET next_at = ? WHERE text LIKE 'Rings%'", Date.now()));
        await api('/reminders', { text: 'Wakes the helper', at: LATER });
        await until('it rings', () => write(alfred, (sql) => sql("SELECT count(*) AS n FROM reminder_due WHERE state = 'open'")[0].n) > 0);
    }

    const long = await fillCrowd(alfred, crowd, ok);
    const pages = pagesOf(alfred, { anna, fresh, crowd, file, share, locked, full, failed, long, compaction, tag, edited, reminder, batch, gone });
    return { anna, fresh, crowd, full, failed, long, tag, reminder, pages, ring };
}

/** Routes of pages that the list has no address of. */
export function missing(pages) {
    const shown = pages.map((p) => p.path.replace(/\?.*/, ''));
    const pattern = (path) => new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}$`);
    return routeTables()
        .filter((r) => r.method === 'GET' && r.surface === 'PAGE' && !NO_PAGES.includes(r.path) && !shown.some((p) => pattern(r.path).test(p)))
        .map((r) => r.path);
}
