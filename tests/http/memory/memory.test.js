// Memory: the stored facts, the facts in a request, and the decisions of the user. The provider plays a model that calls the tools;
// the offline model is tested at the end.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { articles, asksForAnswer, comparable, confirm, ended, exchange, exchangeOffline, exchangeWithTool, provide, questionOf, questionsOf, send, serveFile, sessionOf, suggestionsOf, wordsOf } from '../../lib/chat.js';

const provider = await provide();
const alfred = await serveFile({ env: provider.env });
const anna = await alfred.admin('anna');

const bob = await alfred.user('bob');

const memories = async (client, query = '') => (await client.getJson(`/api/memories${query}`)).memories;
const textsOf = async (client, query) => (await memories(client, query)).map((m) => m.text);
async function keep(client, text, more = {}) {
    const added = await client.postJson('/api/memories', { text, permanent: true, ...more });
    assert.ok([200, 201].includes(added.status), added.text);
    return added.json.memory;
}
const forgetAll = (client) => client.post('/memory/clear', {});
/** All text that the model got. */
const given = (call) => JSON.stringify(call.body);

const withTool = (client, ...more) => exchangeWithTool(client, provider, ...more);
const page = (client, session) => client.get(`/s/${session}`);
const last = async (client, session) => [...articles((await page(client, session)).text).values()].at(-1);

test('a model stores a requested fact with its source, and gets it the next time', async () => {
    const told = await withTool(anna, 'Remember that my sister Ida lives in Porto', 'remember', { text: 'Sister Ida lives in Porto', tags: ['Sister', 'family'] });
    assert.equal(told.result.known_before, false);
    const [fact] = await memories(anna);
    assert.deepEqual([fact.text, fact.tags, fact.permanent, fact.source_message], ['Sister Ida lives in Porto', 'sister', false, told.asked]);
    const [shown0] = suggestionsOf(told.end.html);
    assert.deepEqual([shown0.state, shown0.words, shown0.undo], ['done', 'Kept in memory: “Sister Ida lives in Porto”', true]);
    const again = await withTool(anna, 'Did you note Ida?', 'remember', { text: 'sister Ida lives in Porto.', permanent: true });
    assert.equal(again.result.known_before, true);
    assert.equal((await memories(anna)).length, 1);
    const shown = await anna.get('/memory');
    assert.ok(shown.text.includes(`/s/${told.session}?at=${told.asked}#m-${told.asked}`));
    assert.deepEqual(await textsOf(bob), []);
});

test('relevant facts go to the model as data, and the answer shows which', async () => {
    await forgetAll(anna);
    const ida = await keep(anna, 'Sister Ida lives in Porto');
    await keep(anna, 'The car needs new tyres');
    const chat = await exchange(anna, provider, 'Where does my sister live now?', 'In Porto.');
    const call = provider.calls.findLast((c) => asksForAnswer(c) && c.userText === 'Where does my sister live now?');
    assert.match(given(call), /stored_facts/);
    assert.match(given(call), /Sister Ida lives in Porto/);
    assert.doesNotMatch(given(call), /tyres/);
    assert.match(wordsOf(chat.end.html), /From memory: 1 fact/);
    assert.ok(chat.end.html.includes(`#memory-${ida.id}`));
    assert.equal(await last(anna, chat.session), comparable(chat.end.html), 'a reload shows the same');
    assert.ok((await memories(anna)).find((m) => m.id === ida.id).used_at);

    await exchange(bob, provider, 'Where does my sister live then?', 'I do not know.');
    assert.doesNotMatch(given(provider.calls.findLast((c) => c.userText === 'Where does my sister live then?')), /stored_facts|Ida/);
});

test('a paused memory adds nothing and takes nothing', async () => {
    assert.equal((await anna.post('/memory/pause', {})).location, '/memory?done=memory_paused');
    await exchange(anna, provider, 'Where does my sister live again?', 'No idea.');
    assert.doesNotMatch(given(provider.calls.findLast((c) => c.userText === 'Where does my sister live again?')), /stored_facts/);
    const told = await withTool(anna, 'Note the tea', 'remember', { text: 'Likes tea' });
    assert.match(told.result.error, /paused/);
    assert.match((await anna.get('/memory')).text, /The memory is paused/);
    assert.equal((await anna.postJson('/api/memories', { text: 'Likes tea' })).status, 409);
    assert.equal((await anna.post('/memory/resume', {})).status, 303);
    assert.equal((await textsOf(anna)).includes('Likes tea'), false);
});

test('a broken call, an unknown tool and a foreign id give a clear result, and the session is consistent', async () => {
    const theirs = await keep(bob, 'Bob has a cat');
    for (const [name, args] of [
        ['no_such_tool', {}],
        ['remember', { text: 'x', owner: 2 }],
        ['remember', 'no object'],
        ['update_memory', { id: theirs.id, text: 'Anna has a cat' }],
        ['forget', { id: theirs.id }],
        ['forget', { id: '99999999999999999999' }],
    ]) {
        const told = await withTool(anna, `Call ${name} ${JSON.stringify(args)}`, name, args);
        assert.equal(typeof told.result.error, 'string', name);
        assert.equal(told.messages.at(-1).text, 'Very well.');
        assert.deepEqual(suggestionsOf(told.end.html), []);
    }
    assert.deepEqual(await textsOf(bob), ['Bob has a cat']);
    for (const [method, path] of [['PATCH', `/api/memories/${theirs.id}`], ['DELETE', `/api/memories/${theirs.id}`]])
        assert.equal((await anna.request(method, path, { json: method === 'PATCH' ? { text: 'mine' } : undefined })).status, 404);
    assert.equal((await anna.post(`/memory/${theirs.id}/delete`, {})).status, 404);
    assert.equal((await anna.post(`/memory/${theirs.id}/restore`, {})).status, 404);
});

/** A session in which the model asked to forget `fact`. */
const askToForget = (client, fact, text) => withTool(client, text, 'forget', { id: fact.id });

test('a question to forget waits above the box until it is answered', async () => {
    const fact = await keep(anna, 'The gate code is 4711');
    const chat = await askToForget(anna, fact, 'Forget the gate code');
    assert.match(wordsOf(chat.end.questions_html), /Forget “The gate code is 4711”\?/);
    assert.ok((await textsOf(anna)).includes('The gate code is 4711'));
    await exchange(anna, provider, 'Tell me a joke first', 'A joke. Another one? Just say yes.', { session: chat.session });
    assert.deepEqual(questionsOf((await page(anna, chat.session)).text).map((q) => q.words), ['Forget “The gate code is 4711”?'], 'also further down, after a reload');
    await exchange(anna, provider, 'Yes, please!', 'Another joke.', { session: chat.session });
    assert.ok((await textsOf(anna)).includes('The gate code is 4711'), 'that yes was for the joke');
    const asked = provider.calls.length;
    const yes = await send(anna, 'Yes, forget the fact', { session: chat.session });
    const end = await ended(anna, yes.turn);
    assert.equal(end.status, 'done');
    assert.match(wordsOf(end.html), /I have forgotten this.*The gate code is 4711/s);
    assert.deepEqual(suggestionsOf(end.html).map((x) => [x.state, x.words, x.undo]), [['done', 'Forgotten.', true]]);
    assert.equal(end.questions_html.trim(), '');
    assert.equal(provider.calls.slice(asked).filter((c) => asksForAnswer(c)).length, 0, 'no model was asked');
    assert.equal((await textsOf(anna)).includes('The gate code is 4711'), false);
    assert.deepEqual(questionsOf((await page(anna, chat.session)).text), []);
    await exchange(anna, provider, 'yes', 'Yes what?', { session: chat.session });
});

test('a no removes it, and a button does the same as words', async () => {
    const fact = await keep(anna, 'The cellar code is 4712');
    const chat = await askToForget(anna, fact, 'Forget the cellar code');
    const no = await send(anna, 'no', { session: chat.session });
    assert.match(wordsOf((await ended(anna, no.turn)).html), /I will keep it/);
    await exchange(anna, provider, 'do it', 'Do what?', { session: chat.session });
    assert.ok((await textsOf(anna)).includes('The cellar code is 4712'));

    const second = await askToForget(anna, fact, 'Forget the cellar code after all');
    const question = await questionOf(anna, second.session);
    assert.equal((await confirm(bob, second.session, 'yes', question)).status, 404);
    assert.equal((await anna.post(`/suggestions/${question}/maybe`, {})).status, 404);
    const done = await confirm(anna, second.session, 'yes');
    assert.equal(done.location, `/s/${second.session}?suggestion=${question}#questions`);
    const after = await anna.get(done.location);
    const [under] = suggestionsOf([...articles(after.text).values()].at(-1));
    assert.deepEqual([under.state, under.words, under.undo], ['done', 'Forgotten.', true]);
    assert.deepEqual(questionsOf(after.text), [], 'the last answer shows it itself');
    assert.equal((await textsOf(anna)).includes('The cellar code is 4712'), false);
    const twice = await confirm(anna, second.session, 'yes', question);
    assert.equal(twice.status, 409);
    assert.match(twice.text, /already been decided/);
    const undone = await anna.postAndFollow(`/suggestions/${question}/undo`, {});
    assert.match(undone.text, /Undone\. It is in memory again\./);
    assert.ok((await textsOf(anna)).includes('The cellar code is 4712'));

    const third = await keep(anna, 'The attic code is 4713');
    const asked = await askToForget(anna, third, 'Forget the attic code');
    await exchange(anna, provider, 'And the weather?', 'Sunny.', { session: asked.session });
    const kept = await anna.postAndFollow(`/suggestions/${await questionOf(anna, asked.session)}/dismiss`, {});
    assert.deepEqual(questionsOf(kept.text).map((q) => [q.state, q.words]), [['dismissed', 'Nothing was forgotten.']]);
    assert.ok((await textsOf(anna)).includes('The attic code is 4713'));
});

test('the page adds, finds, filters, edits, deletes, restores and forgets everything', async () => {
    await forgetAll(anna);
    assert.match((await anna.get('/memory')).text, /No facts yet/);
    assert.equal((await anna.post('/memory', { text: 'Born in <b>Oslo</b>', tags: 'home, Past', permanent: 'yes' })).location, '/memory?done=memory_added');
    assert.equal((await anna.post('/memory', { text: 'Plays the cello', tags: 'music' })).status, 303);
    const refused = await anna.post('/memory', { text: 'x'.repeat(1500), tags: '' });
    assert.equal(refused.status, 400);
    assert.ok(refused.text.includes(`${'x'.repeat(1500)}</textarea>`), 'the typed text is kept');
    const all = await anna.get('/memory');
    assert.match(all.text, /Born in &lt;b&gt;Oslo/);
    assert.match(all.text, /href="\/memory\?tag=music"/);
    const items = (answer) => [...answer.text.matchAll(/data-memory="(\d+)"/g)].map((m) => m[1]);
    const [cello, oslo] = items(all);
    assert.deepEqual(items(await anna.get('/memory?q=oslo')), [oslo]);
    assert.deepEqual(items(await anna.get('/memory?tag=music')), [cello]);
    assert.match((await anna.get('/memory?q=%22*-')).text, /Nothing found/);
    assert.deepEqual(items(await anna.get(`/memory?after=${cello}`)), [oslo]);
    assert.equal((await anna.post(`/memory/${cello}`, { text: 'Plays the viola', tags: '', permanent: 'yes' })).status, 303);
    assert.deepEqual(await textsOf(anna, '?q=viola'), ['Plays the viola']);
    assert.deepEqual(await textsOf(anna, '?q=cello'), []);
    const gone = await anna.postAndFollow(`/memory/${oslo}/delete`, {});
    assert.deepEqual(items(gone), [cello]);
    assert.ok(gone.text.includes(`action="/memory/${oslo}/restore"`));
    assert.equal((await anna.post(`/memory/${oslo}/restore`, {})).location, '/memory?done=memory_restored');
    assert.equal((await memories(anna)).length, 2);
    assert.match((await anna.get('/memory/clear')).text, /Forget everything\?/);
    assert.equal((await memories(anna)).length, 2, 'asking forgets nothing');
    assert.equal((await forgetAll(anna)).location, '/memory?done=memory_cleared');
    assert.deepEqual(await memories(anna), []);
    assert.ok((await memories(bob)).length > 0);
});

test('the API adds, changes, pages and deletes', async () => {
    for (const text of ['One apple', 'Two pears', 'Three plums']) await keep(anna, text);
    const first = await anna.getJson('/api/memories?limit=2');
    assert.equal(first.memories.length, 2);
    assert.deepEqual((await memories(anna, `?limit=2&after=${first.next}`)).map((m) => m.text), ['One apple']);
    const id = first.memories[0].id;
    const changed = await anna.request('PATCH', `/api/memories/${id}`, { json: { tags: 'fruit', permanent: false } });
    assert.deepEqual([changed.json.memory.text, changed.json.memory.tags, changed.json.memory.permanent], ['Three plums', 'fruit', false]);
    assert.equal((await anna.request('PATCH', `/api/memories/${id}`, { json: {} })).status, 400);
    assert.equal((await anna.postJson('/api/memories', { text: 'x', permanent: 'yes' })).status, 400);
    assert.equal((await anna.request('DELETE', `/api/memories/${id}`)).status, 200);
    assert.equal((await anna.request('DELETE', `/api/memories/${id}`)).status, 404);
    assert.equal((await alfred.client().get('/api/memories')).status, 401);
});

test('the offline model remembers, recalls and forgets by the same rules', async () => {
    const alone = await serveFile();
    const root = await alone.admin('root');
    const say = (text, session) => exchangeOffline(root, text, session);
    const kept = await say('Please remember that my dentist is Dr. Weiß.');
    assert.match(kept.said, /I will remember this:\s*my dentist is Dr\. Weiß/);
    assert.match((await say('What do you remember about my dentist?')).said, /my dentist is Dr\. Weiß/);
    assert.match((await say('What do you know about me?')).said, /my dentist is Dr\. Weiß/);
    const asked = await say('Who is my dentist?');
    assert.match(asked.said, /This is what I remember:\s*my dentist is Dr\. Weiß \([A-Z][a-z]+day, \d+ [A-Z][a-z]+\)/);
    const answer = (await sessionOf(root, asked.session)).messages.at(-1);
    const [fact] = await memories(root);
    assert.deepEqual(answer.facts.map((f) => f.id), [fact.id]);
    assert.ok(answer.text.includes(`](${answer.facts[0].url})`), 'the answer links to the fact, which has its source');
    const chat = await say('Forget my dentist');
    assert.match(chat.said, /Shall I forget this\?/);
    assert.equal((await memories(root)).length, 1);
    assert.match((await say('yes', chat.session)).said, /I have forgotten this/);
    assert.deepEqual(await memories(root), []);
});

test('a corrected text leaves the end of a fact that expires', async () => {
    const eva = await alfred.user('eva');
    const { memory } = (await eva.postJson('/api/memories', { text: 'The pianno is rented' })).json;
    const ends = Date.now() + 3 * 86_400_000, row = () => alfred.sql('SELECT text, expires_at FROM memory WHERE id = ?', memory.id)[0];
    alfred.sql('UPDATE memory SET expires_at = ? WHERE id = ?', ends, memory.id);
    assert.equal((await eva.post(`/memory/${memory.id}`, { text: 'The piano is rented', tags: '' })).status, 303);
    assert.deepEqual([row().text, Number(row().expires_at)], ['The piano is rented', ends]);
    assert.equal((await eva.post(`/memory/${memory.id}`, { text: 'The piano is rented', tags: '', permanent: 'yes' })).status, 303);
    assert.equal(row().expires_at, null);
});
