// Connected tools: the card of a call, the switch in the settings and the page of servers.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';

import { startMcp, text, tool } from '../../fake/mcp.js';
import { Chat } from '../lib/chat.js';
import { axe } from '../lib/look.js';
import { phone, stage, until } from '../lib/stage.js';

const home = await startMcp({ tools: [tool('turn_on', { title: 'Turn on' })], call: () => text('The lamp is on.') });
after(() => home.stop());
const door = await startMcp({ tools: [tool('unlock', { title: 'Unlock' })], call: () => text('The door is open.') });
after(() => door.stop());
const { alfred, open, asked } = await stage({ config: { 'mcp.home': { url: home.url, label: 'Home', tools: ['all'] }, 'mcp.door': { url: door.url, label: 'Door', tools: ['all'], ask: 'changes' } } });
const anna = await alfred.admin('anna');
await until('the lists of tools', () => alfred.sql('SELECT name FROM mcp_server WHERE listed_at > 0').length === 2);

test('the card of a call names the server and the tool, while it runs and after a reload', async (t) => {
    const page = await open(t, { as: anna }), chat = new Chat(page);
    let release;
    home.mode = (response, message, send) => { release = () => send(response, { jsonrpc: '2.0', id: message.id, result: text('The lamp is on.') }); };
    await chat.send('Switch the lamp on.');
    const call = await asked('Switch the lamp on.');
    await call.toolCall('home_turn_on', { lamp: 'desk' });
    await call.end('tool_calls');
    await until('the call', () => release);
    release();
    const next = await asked('Switch the lamp on.');
    await next.text('It is on.');
    await next.end();
    await chat.reads('It is on.');
    for (const again of [false, true]) {
        if (again) await page.reload();
        const card = page.locator('details.used', { hasText: 'Home: Turn on' });
        await card.locator('summary').click();
        await card.getByText('The lamp is on.').waitFor();
        assert.match(await card.innerText(), /desk/);
    }
    assert.deepEqual(await axe(page), []);
    home.mode = null;
});

for (const size of [{}, { ...phone, colorScheme: 'dark' }])
    test(`a call waits for a click above the message box, on every device (${size.viewport ? 'phone' : 'desktop'})`, async (t) => {
        const words = `Open the door, ${size.viewport ? 'phone' : 'desktop'}.`, before = door.calls.length;
        const page = await open(t, { as: anna, ...size }), chat = new Chat(page);
        await chat.send(words);
        const call = await asked(words);
        await call.toolCall('door_unlock', { door: 'garden', seconds: 30 });
        await call.end('tool_calls');
        const question = (on) => on.locator('#questions').getByRole('group', { name: /Door: Unlock/ });
        await question(page).waitFor();
        await page.locator('.live-note', { hasText: 'Waits for your permission.' }).waitFor();
        assert.match(await question(page).innerText(), /Allow “Door: Unlock \(door: garden, seconds: 30\)”/);
        assert.deepEqual(await axe(page), []);
        if (process.env.SHOTS_DIR) await page.screenshot({ path: `${process.env.SHOTS_DIR}/permission-${size.viewport ? 'phone' : 'desktop'}.png` });
        const other = await open(t, { as: anna, path: new URL(page.url()).pathname });
        await question(other).waitFor();
        await other.locator('.live-note', { hasText: 'Waits for your permission.' }).waitFor();
        assert.equal(door.calls.length, before);
        await question(other).getByRole('button', { name: 'Allow' }).click();
        await page.locator('.live-note', { hasText: 'Waits for your permission.' }).waitFor({ state: 'detached' });
        await until('it waits nowhere', async () => await page.locator('#questions [data-state=open]').count() === 0);
        const next = await asked(words);
        await next.text('It is open.');
        await next.end();
        await chat.reads('It is open.');
        await page.locator('article .suggestion').getByText('Allowed: “Door: Unlock (door: garden').waitFor();
        assert.equal(door.calls.length, before + 1);
    });

test('a call that is refused is not made', async (t) => {
    const page = await open(t, { as: anna }), chat = new Chat(page), before = door.calls.length;
    await chat.send('Open it once more.');
    const call = await asked('Open it once more.');
    await call.toolCall('door_unlock', {});
    await call.end('tool_calls');
    await page.getByRole('button', { name: 'Refuse' }).click();
    const next = await asked('Open it once more.');
    assert.match(next.body.messages.at(-1).content, /The user refused this call/);
    await next.text('Then I leave it closed.');
    await next.end();
    await chat.reads('Then I leave it closed.');
    assert.equal(door.calls.length, before);
});

test('the settings switch connected tools off, and lead to the list of servers', async (t) => {
    const page = await open(t, { as: anna, path: '/settings' });
    const group = page.getByRole('group', { name: 'Connected tools' });
    await group.getByLabel('Off').check();
    await until('the setting', async () => (await anna.getJson('/api/settings')).connected_tools === false);
    await page.getByRole('link', { name: 'connected servers' }).click();
    await page.getByRole('heading', { name: 'Home' }).waitFor();
    await page.getByText('may change something').first().waitFor();
    assert.deepEqual(await axe(page), []);
    if (process.env.SHOTS_DIR) await page.screenshot({ path: `${process.env.SHOTS_DIR}/connected.png` });
});
