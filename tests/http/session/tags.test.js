// Tags of sessions, the filters of the list, and the operators of the search box.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';

import { ended, send as ask } from '../../lib/chat.js';
import { startAlfred } from '../../lib/rig.js';

const alfred = await startAlfred({ t: { after } });
const anna = await alfred.admin('anna');
const bob = await alfred.user('bob');

/** A finished exchange. */
async function talk(client, text) {
    const sent = await ask(client, text);
    await ended(client, sent.turn);
    return sent;
}
const send = (client, method, path, json) => client.request(method, path, { json });
const patch = (client, session, json) => send(client, 'PATCH', `/api/sessions/${session}`, json);
const ids = (list) => list.sessions.map((s) => s.id);
const list = async (client, query) => ids(await client.getJson(`/api/sessions?${new URLSearchParams(query)}`));
const found = (client, q) => client.getJson(`/api/search?${new URLSearchParams({ q })}`);

const plums = (await talk(anna, 'The old plum tree needs pruning.')).session;
const roses = (await talk(anna, 'The climbing rose grows along the old wall.')).session;
const taxes = (await talk(anna, 'The tax office wants the plum invoice.')).session;
const theirs = (await talk(bob, 'Bob prunes his plum tree.')).session;

test('a session gets and loses tags; names are unique ignoring case', async () => {
    let got = await patch(anna, plums, { tags: ' Garden ,  Ärger am  Bau, garden,' });
    assert.equal(got.status, 200, got.text);
    assert.deepEqual(got.json.session.tags, ['Ärger am Bau', 'Garden']);
    assert.deepEqual((await patch(anna, roses, { tag: 'GARDEN' })).json.session.tags, ['Garden']);
    assert.deepEqual((await patch(anna, plums, { without_tag: 'ärger am bau' })).json.session.tags, ['Garden']);
    assert.deepEqual((await patch(anna, plums, { without_tag: 'nowhere' })).json.session.tags, ['Garden']);
    assert.deepEqual((await patch(bob, theirs, { tag: 'Garden' })).json.session.tags, ['Garden']);
    got = await anna.getJson('/api/tags');
    assert.deepEqual(got.tags.map((t) => [t.name, t.sessions]), [['Ärger am Bau', 0], ['Garden', 2]]);
    assert.deepEqual((await patch(anna, plums, { tags: '' })).json.session.tags, []);
    assert.deepEqual((await patch(anna, plums, { tags: 'Garden' })).json.session.tags, ['Garden']);
});

test('bad tags are refused and nothing changes', async () => {
    const before = (await anna.getJson('/api/tags')).tags.length;
    for (const tags of ['x'.repeat(51), 'x'.repeat(10_000), 'a"b', 'a\nb', Array.from({ length: 21 }, (_, i) => `t${i}`).join(',')]) {
        const got = await patch(anna, taxes, { tags });
        assert.ok([400, 409].includes(got.status), `${tags.slice(0, 20)} ${got.status}`);
        assert.ok(got.text.length < 1000);
    }
    assert.deepEqual((await anna.getJson(`/api/sessions/${taxes}`)).session.tags, []);
    assert.equal((await anna.getJson('/api/tags')).tags.length, before);
    assert.equal((await patch(bob, plums, { tag: 'mine' })).status, 404);
    assert.equal((await patch(anna, plums, { tag: '' })).status, 400);
});

test('tags are added, renamed, coloured, merged and deleted by their owner only', async () => {
    const made = await send(anna, 'POST', '/api/tags', { name: 'Flowers', colour: 3 });
    assert.equal(made.status, 201);
    const { id } = made.json.tag;
    assert.equal(made.json.tag.colour, 3);
    assert.equal((await send(anna, 'POST', '/api/tags', { name: 'flowers' })).status, 409);
    assert.equal((await send(anna, 'PATCH', `/api/tags/${id}`, { colour: 8 })).status, 400);
    assert.equal((await send(anna, 'PATCH', `/api/tags/${id}`, {})).status, 400);
    assert.equal((await send(anna, 'PATCH', `/api/tags/${id}`, { name: 'garden' })).status, 409);
    assert.equal((await send(anna, 'PATCH', `/api/tags/${id}`, { name: 'Blossom', colour: 1 })).json.tag.name, 'Blossom');
    await patch(anna, roses, { tag: 'blossom' });
    const garden = (await anna.getJson('/api/tags')).tags.find((t) => t.name === 'Garden');
    for (const [method, path, json] of [['PATCH', `/api/tags/${id}`, { name: 'x' }], ['DELETE', `/api/tags/${id}`], ['POST', `/api/tags/${id}/merge`, { to: garden.id }]]) {
        assert.equal((await send(bob, method, path, json)).status, 404, `${method} ${path}`);
    }
    assert.equal((await send(anna, 'POST', `/api/tags/${id}/merge`, { to: garden.id })).json.tag.name, 'Garden');
    assert.deepEqual((await anna.getJson(`/api/sessions/${roses}`)).session.tags, ['Garden']);
    const other = (await send(anna, 'POST', '/api/tags', { name: 'Other' })).json.tag.id;
    assert.equal((await send(anna, 'DELETE', `/api/tags/${other}`)).status, 200);
    assert.equal((await send(anna, 'DELETE', `/api/tags/${other}`)).status, 404);
});

test('only the tag that is edited has forms, so that hundreds of tags make a small page', async () => {
    const max = await alfred.user('max'), ids = [];
    for (let i = 0; i < 200; i++) ids.push((await max.postJson('/api/tags', { name: `Subject number ${i}` })).json.tag.id);
    const forms = (html) => [...html.matchAll(/action="(\/tags\/[^"]+)"/g)].map((m) => m[1]);
    const page = (await max.get('/tags')).text, edit = `/tags?edit=${ids[7]}#tag-${ids[7]}`;
    assert.ok(page.length < 120_000, `${page.length} characters`);
    assert.deepEqual(forms(page), []);
    assert.ok(page.includes(`href="${edit}"`));
    const edited = (await max.get(edit)).text;
    assert.deepEqual(forms(edited), [`/tags/${ids[7]}`, `/tags/${ids[7]}/merge`]);
    assert.equal(edited.match(/<option /g).length, 199, 'the others');
    const refused = await max.post(`/tags/${ids[8]}`, { name: 'Subject number 9' });
    assert.equal(refused.status, 409);
    assert.deepEqual(forms(refused.text), [`/tags/${ids[8]}`, `/tags/${ids[8]}/merge`]);
});

test('the list is filtered, sorted and paged in both directions', async () => {
    assert.deepEqual(await list(anna, { tags: 'garden' }), [roses, plums]);
    assert.deepEqual(await list(anna, { q: '-tag:garden' }), [taxes]);
    assert.deepEqual(await list(anna, { tags: 'garden', q: 'is:unread' }), await list(anna, { q: 'tag:Garden', is: 'unread' }));
    assert.deepEqual(await list(anna, { channel: 'web' }), [taxes, roses, plums]);
    assert.deepEqual(await list(anna, { model: 'offline' }), [taxes, roses, plums]);
    assert.deepEqual(await list(anna, { q: 'model:off* after:today' }), [taxes, roses, plums]);
    assert.deepEqual(await list(anna, { q: 'before:2020-01' }), []);
    assert.equal((await send(anna, 'POST', `/api/sessions/${roses}/pin`, {})).status, 200);
    assert.deepEqual(await list(anna, { is: 'pinned' }), [roses]);
    assert.deepEqual(await list(anna, { is: '-pinned', sort: 'created' }), [taxes, plums]);
    const first = await anna.getJson('/api/sessions?limit=2'), second = await anna.getJson(`/api/sessions?limit=2&after=${first.next}`);
    assert.deepEqual([ids(first), ids(second)], [[roses, taxes], [plums]]);
    assert.equal(first.newer, null);
    assert.deepEqual(ids(await anna.getJson(`/api/sessions?limit=2&newer=${second.newer}`)), ids(first));
    await send(anna, 'POST', `/api/sessions/${roses}/unpin`, {});
    for (const query of ['tags=nowhere', 'q=tag:nowhere', 'model=nothing', 'channel=none', 'sort=size', 'newer=1.2.3', 'q=workspace:none']) {
        const { status, json } = await anna.get(`/api/sessions?limit=2&${query}`);
        assert.equal(status, 400, query);
        assert.equal(json.errors[0]?.parameter, query.split('=')[0], query);
    }
});

test('the page leaves out what it does not know, and says so', async () => {
    for (const [query, says] of [['q=tag:nowhere', /You have no tag “nowhere”/], ['sort=size', /must be &quot;activity&quot;/], ['show=x', /must be &quot;listed&quot;/], ['after=99999999999999999999.1', /not a place in this list/], ['newer=x', /not a place in this list/]]) {
        const page = await anna.get(`/sessions?${query}`);
        assert.equal(page.status, 200, query);
        assert.match(page.text, says, query);
        assert.match(page.text, new RegExp(`data-session="${plums}"`), query);
    }
});

test('the form becomes a query in the address, with a chip that removes each part', async () => {
    const sent = await anna.get('/sessions?q=old&tags=Garden&is=-archived&model=');
    assert.equal(sent.status, 303);
    const page = await anna.get(sent.location);
    assert.deepEqual([...page.text.matchAll(/<li class="item" data-session="([^"]+)"/g)].map((m) => m[1]), [roses, plums]);
    const chips = [...page.text.matchAll(/<li><a class="tag" href="([^"]+)" aria-label="Remove ([^"]+)"/g)].map((m) => [decodeURIComponent(m[1]), m[2]]);
    assert.deepEqual(chips, [['/sessions?q=-is:"archived" old', 'tag:&quot;Garden&quot;'], ['/sessions?q=tag:"Garden" old', '-is:&quot;archived&quot;']]);
});

test('the tabs keep the query, and the workspace of a query is the chosen one', async () => {
    const cleo = await alfred.user('cleo');
    const [boat] = await Promise.all([['Painting', 'Boat'], ['Digging', 'Garden']].map(async ([title, workspace]) => {
        const { session } = await talk(cleo, title);
        await patch(cleo, session, { title, workspace });
        return session;
    }));
    const shown = async (q, more = {}) => {
        const { text } = await cleo.get(`/sessions?${new URLSearchParams({ q, ...more })}`);
        const links = (name) => [...text.match(new RegExp(`<nav class="${name}".*?</nav>`, 's'))[0].matchAll(/<a[^>]* href="([^"]+)"([^>]*)>([^<]+)/g)];
        const chosen = (name) => links(name).filter((one) => one[2].includes('aria-current')).map((one) => one[3]);
        const to = (name) => Object.fromEntries(links(name).map((one) => [one[3], decodeURIComponent(one[1].replaceAll('&amp;', '&'))]));
        return { tabs: to('views'), tab: chosen('views'), workspaces: to('tags'), workspace: chosen('tags'), list: [...text.matchAll(/data-session="([^"]+)"/g)].map((m) => m[1]) };
    };
    const one = await shown('workspace:boat paint');
    assert.deepEqual([one.workspace, one.tab], [['Boat'], ['All']]);
    assert.ok(one.list.includes(boat));
    assert.deepEqual(one.tabs, { All: '/sessions?q=workspace:boat paint', Archived: '/sessions?show=hidden&q=workspace:boat paint', Trash: '/trash?q=paint' });
    assert.deepEqual(one.workspaces, { 'All workspaces': '/sessions?q=paint', Boat: '/sessions?q=paint&workspace=Boat', Garden: '/sessions?q=paint&workspace=Garden' });
    assert.deepEqual((await shown('paint', { show: 'hidden' })).tab, ['Archived']);
    assert.deepEqual((await shown('-workspace:Boat')).workspace, [], 'neither this one nor all');
    assert.deepEqual((await shown('workspace:Garden', { workspace: 'Boat' })).workspace, ['Garden'], 'the one that the list has');
    const archived = await shown('is:archived paint');
    assert.deepEqual([archived.tab, archived.workspace, archived.tabs.All], [['Archived'], ['All workspaces'], '/sessions?q=paint']);
});

test('names with quotation marks are filters, links and offers', async () => {
    assert.equal((await patch(anna, taxes, { tags: '„Amt“ und “Geld”', workspace: 'the "old" wall' })).status, 200);
    const sent = await anna.get(`/sessions?${new URLSearchParams({ q: '"tax', tags: '„Amt“ und “Geld”' })}`);
    assert.equal(sent.status, 303);
    const page = await anna.get(sent.location);
    assert.deepEqual([...page.text.matchAll(/<li class="item" data-session="([^"]+)"/g)].map((m) => m[1]), []); // no title has a mark
    assert.match(page.text, /aria-label="Remove tag:&quot;„Amt“ und “Geld”&quot;"/);
    const link = (await anna.getJson('/api/tags')).tags.find((tag) => tag.name.includes('Geld')).url;
    assert.match((await anna.get(link)).text, new RegExp(`data-session="${taxes}"`));
    const offers = async (q) => (await anna.getJson(`/page/search/typed?${new URLSearchParams({ q })}`)).offers.map((o) => o.query);
    for (const typed of ['workspace:"the', 'workspace:"the "o', 'workspace:"the ""o'])
        assert.deepEqual(await offers(`tax ${typed}`), ['tax workspace:"the ""old"" wall"'], typed);
    assert.deepEqual(await offers('workspace:"the ""old"" wall"'), []);
    assert.deepEqual(await list(anna, { q: 'workspace:"the ""old"" wall"' }), [taxes]);
    await patch(anna, taxes, { tags: '', workspace: '' });
});

test('operators narrow the search', async () => {
    const hits = async (q) => [...new Set((await found(anna, q)).hits.map((h) => h.session))].sort();
    assert.deepEqual(await hits('plum'), [plums, taxes].sort());
    assert.deepEqual(await hits('plum tag:garden'), [plums]);
    assert.deepEqual(await hits('plum -tag:garden'), [taxes]);
    assert.deepEqual(await hits('plum -invoice'), [plums]);
    assert.deepEqual(await hits('"plum tree"'), [plums]);
    assert.deepEqual(await hits('"tree plum"'), []);
    assert.deepEqual(await hits('prun*'), [plums]);
    assert.deepEqual(await hits('plum before:2020'), []);
    assert.deepEqual(await hits('plum after:yesterday'), [plums, taxes].sort());
    assert.ok((await found(anna, 'plum role:user')).hits.every((h) => h.role === 'user'));
    assert.deepEqual(await hits('plum role:assistant'), []);
    const none = await found(anna, 'plum tag:nowhere');
    assert.deepEqual(none.notices, ['You have no tag “nowhere”.']);
    assert.ok(none.hits.length > 0);
});

test('operators alone list sessions; what is not an operator is words', async () => {
    const got = await found(anna, 'tag:garden');
    assert.deepEqual([ids(got), got.hits, got.memories], [[roses, plums], [], []]);
    assert.deepEqual(ids(await found(anna, 'is:blue')), []);
    for (const q of ['"', '-', '*', 'tag:', 'before:never plum', 'a AND (b OR NOT c) NEAR/2 "', '100% of_it', '\\', "'; DROP TABLE session; --", 'is:is:is', '-"', 'x'.repeat(500), 'tag:"'.repeat(100), '{text} : ^plum + "a', 'NULL*', '🙂*', '-🙂']) {
        const answer = await anna.get(`/api/search?${new URLSearchParams({ q })}`);
        assert.equal(answer.status, 200, q);
        assert.equal((await anna.get(`/search?${new URLSearchParams({ q })}`)).status, 200, q);
        assert.equal((await anna.get(`/sessions?${new URLSearchParams({ q })}`)).status, 200, q);
        assert.equal((await anna.get(`/page/search/typed?${new URLSearchParams({ q })}`)).status, 200, q);
    }
    assert.ok([400, 414, 431].includes((await anna.get(`/search?q=${'x'.repeat(100 * 1024)}`)).status));
});

test('the box offers operators and the values that the user has', async () => {
    const offers = async (q) => (await anna.getJson(`/page/search/typed?${new URLSearchParams({ q })}`)).offers.map((o) => o.query);
    assert.deepEqual(await offers('plum ta'), ['plum tag:']);
    assert.deepEqual(await offers('plum tag:ga'), ['plum tag:Garden']);
    assert.deepEqual(await offers('tag:Garden'), []);
    assert.deepEqual(await offers('-tag:"är'), ['-tag:"Ärger am Bau"']);
    assert.deepEqual(await offers('is:un'), ['is:unread']);
    assert.deepEqual(await offers('tag:nope'), []);
    const typed = await anna.getJson('/page/search/typed?q=plum+tag:garden');
    assert.deepEqual(typed.hits.map((h) => h.url.split('/')[2].split('?')[0].split('#')[0]), [plums]);
});

test('the page of tags works without a script', async () => {
    let page = await anna.get('/tags');
    assert.match(page.text, /data-colour="\d"[^>]*>Garden</);
    assert.equal((await anna.post('/tags', { name: 'Kitchen' })).location, '/tags?done=tag_added');
    assert.match((await anna.post('/tags', { name: 'kitchen' })).text, /You already have a tag “kitchen”/);
    page = await anna.get('/tags');
    assert.match(page.text, />Kitchen</);
});
