// Connected tools: the card of a call, the switch in the settings and the page of servers.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';

import { startMcp, text, tool } from '../../fake/mcp.js';
import { Chat } from '../lib/chat.js';
import { axe } from '../lib/look.js';
import { stage, until } from '../lib/stage.js';

const home = await startMcp({ tools: [tool('turn_on', { title: 'Turn on' })], call: () => text('The lamp is on.') });
after(() => home.stop());
const { alfred, open, asked } = await stage({ config: { 'mcp.home': { url: home.url, label: 'Home', tools: ['all'] } } });
const anna = await alfred.admin('anna');
await until('the list of tools', () => alfred.sql('SELECT name FROM mcp_server WHERE listed_at > 0').length === 1);

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
