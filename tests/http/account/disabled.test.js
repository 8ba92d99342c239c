// A disabled or deleted user has no running answers, no open streams, and begins nothing.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { answers } from '../../fake/provider.js';
import { asksForSummary, beginTurn, exchange, follow, isOver, provide, say, serveFile, sessionOf, Transcript } from '../../lib/chat.js';
import { PASSWORD, until } from '../../lib/rig.js';

const provider = await provide();
const alfred = await serveFile({ env: provider.env });
const admin = await alfred.admin('anna');

const userId = (name) => alfred.sql('SELECT id FROM user WHERE name = ?', name)[0].id;
const running = (name) => alfred.sql("SELECT id FROM turn WHERE owner = ? AND status = 'running'", userId(name)).length;
const noneRuns = (name) => until('no turn runs', () => running(name) === 0);

/** A running answer with some text, its reader, and a connection for changes. */
async function busy(name) {
    const client = await alfred.user(name);
    const live = await client.events('/api/events');
    await live.until((e) => e.event === 'hello');
    const turn = await beginTurn(client, provider, `${name} asks`);
    const transcript = new Transcript();
    await follow(turn.events, transcript, (e) => e.event === 'turn');
    await say(turn.call, turn.events, transcript, 'So far.');
    return { client, live, ...turn };
}

const ways = {
    'the command': async (name) => assert.equal((await alfred.cli(['user', 'disable', name])).code, 0),
    'the page of users': async (name) => assert.equal((await admin.post(`/admin/users/${userId(name)}/disable`, {})).status, 303),
};
for (const [way, disable] of Object.entries(ways))
    test(`a user disabled by ${way} has no running answer and no open stream; the text so far is kept`, async () => {
        const name = way.replaceAll(' ', '-');
        const bert = await busy(name);
        const other = await beginTurn(admin, provider, `${name}: another user`);
        await disable(name);
        await bert.call.gone;
        await isOver(bert.events);
        await isOver(bert.live);
        await noneRuns(name);
        await other.call.text('Goes on.');
        await other.call.end();
        assert.equal(JSON.parse((await other.events.until((e) => e.event === 'end')).at(-1).data).status, 'done');

        assert.equal((await admin.post(`/admin/users/${userId(name)}/enable`, {})).status, 303);
        const { messages } = await sessionOf(await alfred.signIn(name), bert.session);
        assert.deepEqual(messages.map((m) => [m.status, m.text]), [['done', `${name} asks`], ['stopped', 'So far.']]);
    });

test('an order that waits begins no turn while its user is disabled', async () => {
    const carl = await busy('carl');
    alfred.sql(`INSERT INTO turn_order (owner, session_id, kind, text, client_id, channel, purpose, purpose_id, created_at)
        SELECT owner, id, 'send', 'Ordered', 'order-1', 'telegram', 'channel', 1, 1 FROM session WHERE pub = ?`, carl.session);
    assert.equal((await alfred.cli(['user', 'disable', 'carl'])).code, 0);
    await noneRuns('carl');
    await exchange(admin, provider, 'After the end of a turn', 'orders are searched.');
    assert.equal(alfred.sql('SELECT count(*) AS n FROM turn_order WHERE error IS NULL')[0].n, 1);
    assert.equal(running('carl'), 0);

    provider.next(answers('At last.'), (call) => call.userText === 'Ordered');
    assert.equal((await alfred.cli(['user', 'enable', 'carl'])).code, 0);
    const back = await alfred.signIn('carl');
    await until('the ordered turn has ended', async () => (await sessionOf(back, carl.session)).messages.at(-1).text === 'At last.');
});

test('jobs about sessions of a disabled user ask no model, and go on when the user is enabled', async () => {
    const emil = await busy('emil');
    assert.equal((await alfred.cli(['user', 'disable', 'emil'])).code, 0);
    await noneRuns('emil');
    const [{ id }] = alfred.sql("SELECT id FROM job WHERE kind = 'summarise' AND owner = ?", userId('emil'));
    const job = () => alfred.sql('SELECT state, attempts, run_at, error FROM job WHERE id = ?', id)[0];
    provider.always(answers('A summary'), asksForSummary);
    alfred.sql('UPDATE job SET run_at = 1 WHERE id = ?', id);
    await exchange(admin, provider, 'The end of a turn', 'wakes the helper.');
    await until('the job is put off', () => job().error?.includes('job.user_disabled'));
    assert.deepEqual([job().state, job().attempts], ['ready', 0]);
    assert(job().run_at > Date.now() + 3600_000);

    assert.equal((await alfred.cli(['user', 'enable', 'emil'])).code, 0);
    await until('the job is done', () => job().state === 'done');
});

test('the running answer of a user who deletes the account ends', async () => {
    const dora = await busy('dora');
    const id = userId('dora');
    const left = await dora.client.post('/account/delete', { name: 'dora', current: PASSWORD });
    assert.equal(left.status, 303);
    await dora.call.gone;
    await isOver(dora.events);
    await isOver(dora.live);
    await until('the rows are gone', () => !alfred.sql('SELECT 1 FROM user WHERE id = ?', id).length && !alfred.sql('SELECT 1 FROM turn WHERE owner = ?', id).length);
});
