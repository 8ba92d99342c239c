// The to-do list: page, API and tools; the meaning of "that" and "the second one"; questions before deletions. The
// provider plays a model that calls the tools; the offline model is tested at the end.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { articles, asksForAnswer, beginAnswer, confirm, ended, exchange, exchangeOffline, exchangeWithTool, provide, questionOf, questionsOf, send, serveFile, sessionOf, suggestionsOf, wordsOf } from '../../lib/chat.js';
import { answers } from '../../fake/provider.js';

const provider = await provide();
const alfred = await serveFile({ env: { ...provider.env, TZ: 'UTC' } });
const anna = await alfred.admin('anna');

const bob = await alfred.user('bob');

const day = (ahead) => new Date(Date.now() + ahead * 86_400_000).toISOString().slice(0, 10);
const tasks = async (client, query = '') => (await client.getJson(`/api/tasks${query}`)).tasks;
const openOf = async (client) => (await tasks(client, '?show=open')).map((t) => t.text);
async function put(client, text, due) {
    const added = await client.postJson('/api/tasks', { text, ...(due ? { due } : {}) });
    assert.equal(added.status, 201, added.text);
    return added.json.task;
}
async function clear(client) {
    for (const t of await tasks(client)) await client.request('DELETE', `/api/tasks/${t.id}`);
}
const items = (answer) => [...answer.text.matchAll(/data-task="(\d+)"/g)].map((m) => m[1]);
const given = (call) => JSON.stringify(call.body);

/** Moves the focus and the questions of all sessions back by some minutes. */
function age(minutes) {
    alfred.sql(`UPDATE working SET updated_at = updated_at - ${minutes * 60_000}`);
    alfred.sql(`UPDATE suggestion SET created_at = created_at - ${minutes * 60_000}, lapses_at = lapses_at - ${minutes * 60_000}`);
}

const withTool = (client, ...more) => exchangeWithTool(client, provider, ...more);

test('the page adds, groups by day, edits, completes, deletes and restores', async () => {
    assert.match((await anna.get('/tasks')).text, /Nothing to do/);
    for (const [text, due] of [['No hurry', ''], ['Late', day(-1)], ['Now', day(0)], ['Soon', day(1)], ['Some <b>day</b>', '2199-01-01']])
        assert.equal((await anna.post('/tasks', { text, due })).location, '/tasks?done=task_added');
    const shown = await anna.get('/tasks');
    assert.deepEqual([...shown.text.matchAll(/<h2 id="group-(\w+)">([^<]*)/g)].map((m) => `${m[1]}: ${m[2]}`), ['overdue: Overdue', 'today: Today', 'tomorrow: Tomorrow', 'later: Later', 'any_day: No date']);
    assert.match(shown.text, /Some &lt;b&gt;day/);
    assert.match(shown.text, /Tuesday, 1 January 2199/);
    const [late, now] = items(shown);
    const refused = await anna.post('/tasks', { text: 'Keep me', due: '2026-02-31' });
    assert.equal(refused.status, 400);
    assert.match(refused.text, /value="Keep me"/);
    assert.equal((await anna.post(`/tasks/${late}`, { text: 'Not so late', due: '' })).location, '/tasks?done=task_saved');
    assert.equal((await tasks(anna)).find((t) => t.id === late).due, null);
    assert.equal((await anna.post(`/tasks/${now}/done`, {})).location, `/tasks?undo=${now}&done=task_done`);
    const done = await anna.get('/tasks');
    assert.match(done.text, /Completed/);
    assert.equal(items(done).at(-1), now, 'done ones come last');
    assert.equal((await anna.post(`/tasks/${now}/reopen`, {})).location, '/tasks?done=task_reopened');

    const gone = await anna.postAndFollow(`/tasks/${late}/delete`, {});
    assert.equal(items(gone).includes(late), false);
    assert.ok(gone.text.includes(`action="/tasks/${late}/restore"`));
    assert.equal((await anna.post(`/tasks/${late}/delete`, {})).status, 404, 'a second click deletes nothing');
    assert.equal((await anna.post(`/tasks/${late}/restore`, {})).location, '/tasks?done=task_restored');
    assert.ok((await openOf(anna)).includes('Not so late'));

    for (const id of [late, now]) await anna.post(`/tasks/${id}/done`, {});
    const cleared = await anna.postAndFollow('/tasks/clear', {});
    assert.equal((await tasks(anna, '?show=done')).length, 0);
    const at = cleared.text.match(/name="at" value="(\d+)"/)[1];
    assert.equal((await bob.post('/tasks/restore', { at })).status, 404);
    assert.equal((await anna.post('/tasks/restore', { at })).location, '/tasks?done=tasks_restored');
    assert.equal((await tasks(anna, '?show=done')).length, 2);
    assert.equal((await anna.post('/tasks/clear', {})).status, 303);
    assert.equal((await anna.post('/tasks/clear', {})).location, '/tasks', 'nothing is left to clear');
    await clear(anna);
});

test('the API adds, changes, pages and deletes', async () => {
    const first = await put(anna, 'One', day(1));
    assert.deepEqual([first.text, first.due, first.overdue, first.done, first.done_at], ['One', day(1), false, false, null]);
    assert.ok((await anna.get('/tasks')).text.includes(`due <time datetime="${day(1)}">tomorrow</time>`), 'the page words the day');
    for (const text of ['Two', 'Three']) await put(anna, text);
    const page = await anna.getJson('/api/tasks?limit=2');
    assert.deepEqual(page.tasks.map((t) => t.text), ['One', 'Two']);
    assert.deepEqual((await tasks(anna, `?after=${encodeURIComponent(page.next)}`)).map((t) => t.text), ['Three']);
    const change = (json) => anna.request('PATCH', `/api/tasks/${first.id}`, { json });
    assert.deepEqual((await change({ due: '', text: 'Uno' })).json.task.due, null);
    assert.equal((await change({ done: true })).json.task.done, true);
    assert.deepEqual((await tasks(anna, '?show=done')).map((t) => t.text), ['Uno']);
    assert.equal((await change({ done: false })).json.task.done, false);
    for (const bad of [{}, { done: 'yes' }, { text: ' ' }, { due: 'friday' }, { owner: 2 }, { text: 'x'.repeat(501) }])
        assert.equal((await change(bad)).status, 400, JSON.stringify(bad));
    for (const bad of ['?after=x', '?show=mine', '?limit=0']) assert.equal((await anna.get(`/api/tasks${bad}`)).status, 400, bad);
    assert.equal((await anna.request('DELETE', `/api/tasks/${first.id}`)).status, 200);
    assert.equal((await anna.request('DELETE', `/api/tasks/${first.id}`)).status, 404);
    assert.equal((await alfred.client().get('/api/tasks')).status, 401);
    await clear(anna);
});

test("another user's task is the same 404 as an absent one", async () => {
    const theirs = await put(bob, "Bob's");
    const none = String(BigInt(theirs.id) + 999n);
    const ways = [
        (id) => anna.request('PATCH', `/api/tasks/${id}`, { json: { done: true } }),
        (id) => anna.request('DELETE', `/api/tasks/${id}`),
        (id) => anna.post(`/tasks/${id}`, { text: 'mine', due: '' }),
        ...['done', 'reopen', 'delete', 'restore'].map((what) => (id) => anna.post(`/tasks/${id}/${what}`, {})),
    ];
    for (const way of ways) {
        const [foreign, absent] = [await way(theirs.id), await way(none)];
        assert.equal(foreign.status, 404);
        const plain = (text) => text.replaceAll(theirs.id, '').replaceAll(none, '').replace(/(nonce=|value=|content=)"[^"]*"/g, '');
        assert.equal(plain(foreign.text), plain(absent.text));
    }
    const told = await withTool(anna, "Complete Bob's", 'complete_task', { task: theirs.id });
    const nothing = await withTool(anna, 'Complete nothing', 'complete_task', { task: none });
    assert.deepEqual(told.result, nothing.result);
    assert.deepEqual(await openOf(bob), ["Bob's"]);
    // the sidebar has her own session, whose title is her message until the model has made one
    assert.equal((await anna.get('/tasks')).text.match(/<main[^]*<\/main>/)[0].includes('Bob&#39;s'), false);
});

test("a model's task has its source, and references to it are understood", async () => {
    const chat = await withTool(anna, 'Put milk on my list for tomorrow', 'add_task', { text: 'Buy milk', due: day(1) });
    assert.equal(chat.result.task.when, 'tomorrow');
    const session = { session: chat.session };
    const page = await anna.get('/tasks');
    assert.ok(page.text.includes(`/s/${chat.session}?at=${chat.asked}#m-${chat.asked}`));
    assert.match(wordsOf(page.text), /from a session/);
    const again = await withTool(anna, 'Add bread to my list as well', 'add_task', { text: 'Buy bread' }, session);
    assert.equal(again.result.task.text, 'Buy bread');
    assert.equal((await sessionOf(anna, chat.session)).session.message_count, 4, 'an answer with a tool is one message');
    const given2 = given(provider.calls.findLast((c) => asksForAnswer(c) && c.userText === 'Add bread to my list as well'));
    assert.match(given2, /spoken_of/, 'what was spoken of is in the context');
    assert.match(given2, /Buy milk/);
    const done = await withTool(anna, 'That is done', 'complete_task', { task: 'that' }, session);
    assert.deepEqual([done.result.task.text, done.result.task.done], ['Buy bread', true]);
    assert.deepEqual(suggestionsOf(done.end.html).map((x) => [x.words, x.undo]), [['Marked as done: “Buy bread”', true]]);
    await put(anna, 'Buy eggs');
    const listed = await withTool(anna, 'Show me', 'list_tasks', { show: 'open' }, session);
    assert.deepEqual(listed.result.tasks.map((t) => [t.number, t.text]), [[1, 'Buy milk'], [2, 'Buy eggs']]);
    assert.match((await withTool(anna, 'It is done', 'complete_task', { task: 'it' }, session)).result.error, /Several tasks/);
    assert.equal((await withTool(anna, 'Mark the second one as done', 'complete_task', { task: 'the second one' }, session)).result.task.text, 'Buy eggs');

    const elsewhere = await withTool(anna, 'Is it done here?', 'complete_task', { task: 'that' });
    assert.match(elsewhere.result.error, /list_tasks first/, 'another session has spoken of nothing');
    const bobs = await withTool(bob, 'Is it done, Bob?', 'complete_task', { task: 'the first one' });
    assert.match(bobs.result.error, /list_tasks first/);
    assert.match((await anna.get(`/s/${chat.session}`)).text, /<summary>.*To-do list: new task/s, 'the page says what the tool did');
    await clear(anna);
});

test('a suggested task names its day in words, with the year when it is another one', async () => {
    const year = new Date().getUTCFullYear();
    for (const [due, words, text] of [['2199-01-01', 'Tuesday, 1 January 2199', 'Tidy the loft'], [`${year}-12-31`, `${new Date(`${year}-12-31`).toLocaleDateString('en-GB', { weekday: 'long' })}, 31 December`, 'Ring in the year']]) {
        const { end, session } = await withTool(anna, `The weather of ${due} is fine`, 'add_task', { text, due });
        const question = `Add to your to-do list: “${text}”, due ${words}?`;
        assert.deepEqual(suggestionsOf(end.html).map((x) => x.words), [question]);
        assert.ok(wordsOf((await anna.get('/tasks')).text).includes(question));
        const page = (await anna.get(`/s/${session}`)).text;
        assert.match(page, /<summary>.*Asked whether to add a task/s, 'what waits is not reported as done');
        assert.match(page, new RegExp(`>Add<span class="sr">: ${text}</span>`));
    }
    await clear(anna);
});

/** A session in which the model asked to delete a new task. */
async function askToDelete(client, text) {
    const task = await put(client, text);
    return { task, ...(await withTool(client, `Delete ${text}`, 'delete_task', { task: task.id })) };
}

test('a task is deleted by the user only, and once', async () => {
    const chat = await askToDelete(anna, 'Old one');
    assert.match(wordsOf(chat.end.questions_html), /Delete the task “Old one”\?.*Delete task.*Keep/s);
    assert.deepEqual(await openOf(anna), ['Old one']);
    await exchange(anna, provider, 'What is it about?', 'No idea.', { session: chat.session });
    assert.deepEqual(await openOf(anna), ['Old one'], 'anything else leaves it');
    assert.equal((await confirm(bob, chat.session, 'yes')).status, 404);
    await exchange(anna, provider, 'Do it!', 'Do what?', { session: chat.session });
    assert.deepEqual(await openOf(anna), ['Old one'], 'nor does a yes to something else');
    const question = await questionOf(anna, chat.session);
    const yes = await send(anna, 'Yes, delete the task', { session: chat.session });
    const { html } = await ended(anna, yes.turn);
    assert.match(wordsOf(html), /I have deleted this task:\s*Old one/);
    assert.deepEqual(suggestionsOf(html).map((x) => [x.words, x.undo]), [['The task is deleted.', true]]);
    assert.deepEqual(await openOf(anna), []);
    assert.equal((await confirm(anna, chat.session, 'yes', question)).status, 409);
    assert.ok((await anna.get('/tasks')).text.includes(`action="/tasks/${chat.task.id}/restore"`));
    assert.equal((await bob.get('/tasks')).text.includes('Old one'), false);
    assert.equal((await anna.post(`/tasks/${chat.task.id}/restore`, {})).status, 303);
    assert.equal((await confirm(anna, chat.session, 'yes', question)).status, 409, 'what is back is not deleted again');
    assert.deepEqual(await openOf(anna), ['Old one']);

    const kept = await askToDelete(anna, 'Kept one');
    const settled = await anna.postAndFollow(`/suggestions/${await questionOf(anna, kept.session)}/dismiss`, {});
    assert.deepEqual(suggestionsOf([...articles(settled.text).values()].at(-1)).map((x) => x.words), ['The task stays.']);
    assert.deepEqual(questionsOf(settled.text), []);
    assert.doesNotMatch(settled.text, /class="flash"/, 'said once, under the answer');
    await exchange(anna, provider, 'yes', 'Yes what?', { session: kept.session });
    assert.ok((await openOf(anna)).includes('Kept one'));
    await clear(anna);
});

test('a double click, two tabs and a typed yes at the same time delete once', async () => {
    const chat = await askToDelete(anna, 'Raced');
    const question = await questionOf(anna, chat.session);
    provider.next(answers('Yes what?'), (c) => asksForAnswer(c) && c.userText === 'yes'); // in case that the button is faster
    const statuses = await Promise.all([
        ...Array.from({ length: 4 }, () => confirm(anna, chat.session, 'yes', question).then((r) => r.status)),
        anna.postJson(`/api/sessions/${chat.session}/messages`, { text: 'yes' }).then(async (r) => {
            if (r.status === 202) await ended(anna, r.json.turn);
            return r.status;
        }),
    ]);
    const ran = statuses.slice(0, 4).filter((s) => s === 303).length;
    assert.ok(statuses.slice(0, 4).every((s) => s === 303 || s === 409), String(statuses));
    assert.ok(ran <= 1, String(statuses));
    assert.deepEqual(await openOf(anna), []);
    assert.equal((await anna.post(`/tasks/${chat.task.id}/restore`, {})).status, 303, 'it was deleted one time');
    assert.deepEqual(await openOf(anna), ['Raced']);
    await clear(anna);
});

test('a button answers its own question; another question is added, and the same one is replaced', async () => {
    const first = await askToDelete(anna, 'Meant');
    const question = await questionOf(anna, first.session);
    const other = await put(anna, 'Not meant');
    await withTool(anna, 'No, the other one', 'delete_task', { task: other.id }, { session: first.session });
    const page = await anna.get(`/s/${first.session}`);
    assert.deepEqual(questionsOf(page.text).map((q) => q.words), ['Delete the task “Meant”?', 'Delete the task “Not meant”?']);
    await withTool(anna, 'Or that one after all', 'delete_task', { task: first.task.id }, { session: first.session });
    assert.equal((await confirm(anna, first.session, 'yes', question)).status, 404, 'it was asked anew');
    assert.deepEqual((await openOf(anna)).sort(), ['Meant', 'Not meant']);
    assert.equal((await confirm(anna, first.session, 'yes')).status, 303);
    assert.deepEqual(await openOf(anna), ['Meant']);
    await clear(anna);
});

test('the focus and the questions lapse after half an hour', async () => {
    const chat = await askToDelete(anna, 'Lapses');
    const session = { session: chat.session };
    age(29);
    const again = await withTool(anna, 'I said: delete that', 'delete_task', { task: 'that' }, session);
    assert.equal(again.result.task.text, 'Lapses');
    const question = await questionOf(anna, chat.session);
    age(31);
    assert.match((await withTool(anna, 'Delete it now', 'delete_task', { task: 'it' }, session)).result.error, /list_tasks first/);
    assert.doesNotMatch(given(provider.calls.findLast((c) => asksForAnswer(c) && c.userText === 'Delete it now')), /spoken_of/);
    assert.deepEqual(questionsOf((await anna.get(`/s/${chat.session}`)).text), []);
    assert.equal((await confirm(anna, chat.session, 'yes', question)).status, 409);
    await exchange(anna, provider, 'Yes, delete the task', 'Which one?', session);
    assert.deepEqual(await openOf(anna), ['Lapses']);
    await clear(anna);
});

test('a chat is deleted by the user only, never the current one', async () => {
    const other = await exchange(anna, provider, 'The trip to Porto', 'Nice.');
    const foreign = await exchange(bob, provider, "Bob's own", 'Yes.');
    const denied = await withTool(anna, 'Delete his', 'delete_session', { session: foreign.session });
    assert.match(denied.result.error, /no session with this id/);
    const inside = await withTool(anna, 'Delete this', 'delete_session', { session: 'this' }, { session: denied.session });
    assert.match(inside.result.error, /cannot delete itself/);
    const self = await withTool(anna, 'Delete it by id', 'delete_session', { session: denied.session }, { session: denied.session });
    assert.deepEqual(self.result, inside.result);
    assert.equal(self.end.questions_html.trim(), '');

    const chat = await withTool(anna, 'Delete Porto', 'delete_session', { session: other.session });
    assert.match(wordsOf(chat.end.questions_html), /Delete session.*Keep/s);
    assert.equal((await anna.get(`/s/${other.session}`)).status, 200);

    const yes = await send(anna, 'yes', { session: chat.session });
    const end = await ended(anna, yes.turn);
    assert.equal(end.status, 'done');
    assert.match(wordsOf(end.html), /This session is in the trash now/);
    assert.equal((await anna.get(`/s/${other.session}`)).status, 410);
    assert.equal((await anna.get(`/s/${chat.session}`)).status, 200, 'the chat that asked is whole');
    assert.equal((await bob.get(`/s/${foreign.session}`)).status, 200);
    assert.ok(articles((await anna.get(`/s/${chat.session}`)).text).size >= 4);
});

test('a chat that is deleted during an answer stops it', async () => {
    const other = await exchange(anna, provider, 'The trip to Faro', 'Nice.');
    const chat = await withTool(anna, 'Delete Faro', 'delete_session', { session: other.session });
    const running = await send(anna, 'One more thing', { session: other.session });
    const call = await beginAnswer(provider, 'One more thing');
    await call.text('Fado');
    assert.equal((await confirm(anna, chat.session, 'yes')).status, 303);
    await call.gone;
    assert.equal((await anna.get(`/s/${other.session}`)).status, 410);
    assert.equal((await anna.postJson(`/api/trash/${other.session}/restore`, {})).status, 200);
    await ended(anna, running.turn);
    assert.equal((await sessionOf(anna, other.session)).messages.at(-1).status, 'stopped');
});

test('the offline model manages the list by the same rules', async () => {
    const alone = await serveFile({ env: { TZ: 'UTC' } });
    const root = await alone.admin('root');
    const say = (text, session) => exchangeOffline(root, text, session);
    const chat = await say('Please add task buy milk by tomorrow');
    assert.match(chat.said, /It is on your list:\s*buy milk, due tomorrow \([A-Z][a-z]+day, \d+ [A-Z][a-z]+( \d{4})?\)/);
    const here = (text) => say(text, chat.session).then((r) => r.said);
    assert.match(await here('Remind me to call mum'), /It is on your list:\s*call mum/);
    assert.match(await here('todo: taxes 2199-01-01'), /taxes, due Tuesday, 1 January 2199/);
    assert.match(await here('What is on my list?'), /buy milk.*taxes.*call mum/s);
    assert.match(await here('mark the second one done'), /Done:\s*taxes/);
    assert.match(await here('complete buy milk'), /Done:\s*buy milk/);
    assert.match(await here('complete buy the moon'), /found no open task/);
    assert.match(await here('show my completed tasks'), /buy milk.*taxes/s);
    assert.match(await here('What are my tasks?'), /call mum/);
    assert.match(await here('delete that task'), /Shall I delete this task\?/);
    assert.deepEqual(await openOf(root), ['call mum']);
    assert.match(await here('yes'), /I have deleted this task/);
    assert.deepEqual(await openOf(root), []);
    assert.match(await here('list tasks'), /Nothing is on your list/);

    const fresh = await say('mark it done');
    assert.match(fresh.said, /Nothing is on your list/, 'it lists when it does not know');

    await here('remember that I play the cello');
    await here('remember that my car is red');
    assert.match(await here('forget the first one'), /Shall I forget this\?.*cello/s);
    assert.match(await here('cancel'), /I will keep it/);
    assert.match(await here('delete it'), /Shall I forget this\?.*cello/s);
    assert.match(await here('do it'), /I have forgotten this/);

    const porto = await say('The hotel in Porto is called Aurora');
    await say('delete this chat', porto.session).then((r) => assert.match(r.said, /cannot delete itself/));
    assert.match(await here('delete the chat about the hotel Aurora'), /Shall I delete this session/);
    assert.equal((await root.get(`/s/${porto.session}`)).status, 200);
    assert.match(await here('yes'), /This session is in the trash now/);
    assert.equal((await root.get(`/s/${porto.session}`)).status, 410);
});
