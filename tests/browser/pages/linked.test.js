// Accounts of channels: the code and the list on the account page, and people who ask on the users page.
import { test } from 'node:test';
import assert from 'node:assert/strict';

import { axe } from '../lib/look.js';
import { DESKTOP, phone, stage } from '../lib/stage.js';

const { alfred, open } = await stage();
const root = await alfred.admin('root');
const anna = await alfred.user('anna');
const shot = async (page, name) => process.env.SHOTS && page.screenshot({ path: `${process.env.SHOTS}/${name}.png`, fullPage: true });

const person = (id, name, user) => alfred.database((db) => db.prepare('INSERT INTO channel_identity (channel, external_id, name, user_id, created_at, linked_at) VALUES (?, ?, ?, (SELECT id FROM user WHERE name = ?), ?, ?)').run('telegram', id, name, user, Date.now(), user && Date.now()));
const userOf = (id) => alfred.database((db) => db.prepare('SELECT u.name FROM channel_identity i LEFT JOIN user u ON u.id = i.user_id WHERE external_id = ?').get(id)?.name);

for (const size of [{ viewport: DESKTOP }, { ...phone, colorScheme: 'dark' }])
    test(`the account page makes a code and unlinks an account, at ${size.viewport.width} px`, async (t) => {
        person('11', 'Anna on the <b>phone</b>', 'anna');
        alfred.database((db) => db.prepare('INSERT OR REPLACE INTO channel_bot (channel, external_id, username, name, checked_at) VALUES (?, ?, ?, ?, ?)').run('telegram', '99', 'our_alfred_bot', 'Alfred', 1));
        const page = await open(t, { as: anna, path: '/account', javaScriptEnabled: size.viewport === DESKTOP, ...size });
        const part = page.locator('#linked');
        await part.locator('.item-title', { hasText: '<b>phone</b>' }).waitFor();
        await part.getByRole('button', { name: 'Make a code' }).click();
        const line = await page.getByLabel('Line with the code').inputValue();
        assert.match(line, /^\/link [0-9A-Z]{8}$/);
        assert.equal(await part.getByRole('link', { name: /our_alfred_bot/ }).getAttribute('href'), `https://t.me/our_alfred_bot?start=${line.slice(6)}`);
        if (size.viewport === DESKTOP) assert.deepEqual(await axe(page), []);
        await shot(page, `linked-${size.viewport.width}`);
        await part.getByRole('button', { name: /^Unlink/ }).click();
        await page.getByRole('main').getByText('Unlinked.').waitFor();
        assert.equal(userOf('11'), undefined);
        alfred.database((db) => db.exec('DELETE FROM channel_bot'));
    });

test('without a channel the account page has no such part', async (t) => {
    const page = await open(t, { as: anna, path: '/account' });
    await page.getByRole('heading', { name: 'API tokens' }).waitFor();
    assert.equal(await page.locator('#linked').count(), 0);
});

test('an admin admits people as a new or an existing account, or refuses them', async (t) => {
    for (const [id, name] of [['21', 'Carla'], ['22', 'Dora'], ['23', 'Emil']]) person(id, name, null);
    const page = await open(t, { as: root, path: '/admin/users' });
    const row = (name) => page.locator('#asking li').filter({ hasText: name });
    await row('Carla').locator('summary').click();
    await shot(page, 'asking');
    assert.deepEqual(await axe(page), []);
    await row('Carla').getByLabel('Name of the new account').fill('carla');
    await row('Carla').getByRole('button', { name: 'Create account' }).click();
    await page.getByLabel(/link/i).first().waitFor();
    assert.equal(userOf('21'), 'carla');
    await row('Dora').locator('summary').click();
    await row('Dora').getByLabel('Existing account').fill('anna');
    await row('Dora').getByRole('button', { name: 'Link to this account' }).click();
    await page.getByRole('main').getByText('Admitted.').waitFor();
    assert.equal(userOf('22'), 'anna');
    await row('Emil').getByRole('button', { name: /^Refuse/ }).click();
    await page.getByRole('main').getByText('The person can ask again').waitFor();
    assert.equal(userOf('23'), undefined);
    assert.equal(await page.locator('#asking').count(), 0);
});
