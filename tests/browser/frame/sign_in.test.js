// Signing in and out, and rights: the first-run link, sign-in, the account page, the users page.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { PASSWORD, until } from '../../lib/rig.js';
import { axe } from '../lib/look.js';
import { leads, ready, stage } from '../lib/stage.js';

const { alfred, context, open, blank } = await stage();

/** A display name takes blanks, capitals and every script. */
const SHOWN = 'Märta של 田中';

async function signIn(page, name, password) {
    await page.getByLabel('Sign-in name').fill(name);
    await page.getByLabel('Password').fill(password);
    await page.getByRole('button', { name: 'Sign in' }).click();
}

test('without any user, the front page says where the one-time link is', async (t) => {
    for (const javaScriptEnabled of [true, false]) {
        const page = await open(t, { path: '/', javaScriptEnabled });
        await page.getByText('Alfred has no user yet.').waitFor();
        await page.getByText('alfred link').waitFor();
        assert.equal(await page.getByLabel('Password').count(), 0, 'nobody can sign in');
        if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/nobody.png` });
        await page.goto('/welcome');
        const focused = () => page.evaluate(() => document.activeElement.name);
        assert.equal(await focused(), 'code', 'the focus is in the first field');
    }
    const page = await open(t, { path: `/welcome#${alfred.setupCode}` });
    assert.equal(await page.evaluate(() => document.activeElement.name), 'display_name', 'the code is known');
});

test('the printed link makes the first admin, and its code is never sent in an address', async (t) => {
    const code = alfred.setupCode;
    const made = await context(t, { timezoneId: 'Pacific/Kiritimati' });
    const page = await made.newPage();
    const addresses = [];
    page.on('request', (r) => addresses.push(r.url(), r.headers().referer ?? ''));
    await page.goto(`/welcome#${code}`);
    await ready(page);
    assert.equal(await page.getByLabel('Code').isVisible(), false, 'the code is taken from the link');
    assert.ok(!page.url().includes(code), 'the address bar and the history forget it');
    await page.getByLabel('Your name').fill(SHOWN);
    await page.getByLabel('Sign-in name').fill('martha');
    await page.getByLabel('Password').fill(PASSWORD);
    if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/welcome.png` });
    await leads(page, '/', () => page.getByRole('button', { name: 'Continue' }).click());
    await page.locator('#account-menu summary', { hasText: SHOWN }).waitFor();
    await page.getByText(`What is on your mind, ${SHOWN}?`).waitFor();
    assert.equal(await page.locator('html').getAttribute('data-zone'), 'Pacific/Kiritimati', 'the first page is in the zone of the browser');
    if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/greeted.png` });
    assert.ok(await page.locator('#account-menu a', { hasText: 'Users' }).count(), 'the first user is an admin');
    assert.ok(addresses.length > 5);
    for (const address of addresses) assert.ok(!address.includes(code), address);
    assert.ok(!alfred.logs().split(code).slice(2).join('').includes(code), 'no log holds it but the line that printed it');
    // It works once.
    const second = await blank(t, { allow: [/status of 4/] });
    await second.goto(`/welcome#${code}`);
    await second.getByLabel('Code').waitFor();
    assert.equal(await second.evaluate(() => document.activeElement.name), 'code');
    const problem = second.getByRole('alert').filter({ hasText: /link|code/i }).first();
    await problem.waitFor();
    await second.setViewportSize({ width: 360, height: 640 });
    const { y, height } = await problem.boundingBox();
    assert.ok(y + height <= (await second.locator('h1').boundingBox()).y, 'it covers nothing on a phone');
});

test('sign-in leads back to the requested page; sign-out closes every page', async (t) => {
    await alfred.user('nora');
    const page = await open(t, { path: '/sessions', allow: [/status of 40[13]/] });
    assert.match(page.url(), /\/signin\?next=/);
    const top = async () => (await page.locator('main form').boundingBox()).y, before = await top();
    await signIn(page, 'nora', 'not the password');
    const problem = page.getByRole('alert').filter({ hasText: /name|password/i });
    await problem.waitFor();
    assert.equal(await top(), before, 'the error moves nothing');
    const { y, height } = await problem.boundingBox();
    assert.ok(y >= 0 && y + height <= (await page.locator('h1').boundingBox()).y, 'and covers nothing');
    assert.equal(await page.getByLabel('Sign-in name').inputValue(), 'nora', 'the name is kept');
    assert.equal(await page.getByLabel('Password').inputValue(), '');
    await page.getByLabel('Password').fill(PASSWORD);
    await leads(page, '/sessions', () => page.getByRole('button', { name: 'Sign in' }).click());
    await page.getByRole('heading', { name: 'Sessions', level: 1 }).waitFor();
    await page.locator('#account-menu > summary').click();
    await leads(page, /\/signin/, () => page.getByRole('button', { name: 'Sign out', exact: true }).click());
    await page.goto('/sessions');
    assert.match(page.url(), /\/signin/);
    await page.goBack();
    assert.equal(await page.locator('#account-menu summary', { hasText: 'nora' }).count(), 0, 'Back shows nothing of hers');
});

test('the account page lists the logins and signs another device out', async (t) => {
    const here = await alfred.user('paula');
    const there = await alfred.signIn('paula');
    const page = await open(t, { as: here, path: '/account' });
    const logins = page.locator('section', { has: page.getByRole('heading', { name: 'Signed-in devices' }) }).getByRole('listitem');
    assert.ok((await logins.count()) >= 2);
    assert.equal(await logins.filter({ hasText: 'this device' }).count(), 1);
    assert.equal((await there.get('/api/me')).status, 200);
    await leads(page, /\/account/, () => page.getByRole('button', { name: 'Sign out everywhere else' }).click());
    assert.equal(await logins.count(), 1);
    assert.equal((await there.get('/api/me')).status, 401);
    assert.equal((await here.get('/api/me')).status, 200);

    const again = await alfred.signIn('paula');
    await page.reload();
    await leads(page, /\/account/, () => logins.filter({ hasNotText: 'this device' }).getByRole('button', { name: /Sign out/ }).click());
    assert.equal((await again.get('/api/me')).status, 401);
    await page.getByText('this device', { exact: true }).waitFor();
});

test('a new password needs the old one', async (t) => {
    const as = await alfred.user('rita');
    const page = await open(t, { as, path: '/account', allow: [/status of 4/] });
    await page.getByLabel('Current password').fill('a wrong password');
    await page.getByLabel('New password').fill('quite another password');
    await page.getByRole('button', { name: 'Change password' }).click();
    await page.getByRole('alert').filter({ hasText: /password/i }).first().waitFor();
    await page.getByLabel('Current password').fill(PASSWORD);
    await page.getByLabel('New password').fill('quite another password');
    await leads(page, /\/account/, () => page.getByRole('button', { name: 'Change password' }).click());
    await page.getByRole('status').filter({ hasText: /password/i }).first().waitFor();
    await alfred.signIn('rita', 'quite another password');
});

test('a refused form puts the focus into the wrong field, which is marked and described', async (t) => {
    const as = await alfred.user('wanda', { role: 'admin' });
    await as.postJson('/api/tasks', { text: 'Water the plants' });
    const [, welcome] = /\/welcome#([\w-]+)/.exec((await as.post('/admin/users', { name: 'yara', role: 'member' })).text);
    /** Page, action of the form, what is filled in, the field that is wrong. */
    const refused = [
        ['/welcome', '/welcome', { code: welcome, password: 'short' }, 'password'],
        ['/welcome', '/welcome', { code: 'no-such-code', password: PASSWORD }, 'code'],
        ['/account', '/account/password', { current: 'not the password', password: 'quite another password' }, 'current'],
        ['/account', '/account/password', { current: PASSWORD, password: 'short' }, 'password'],
        ['/tasks', '/tasks', { text: ' ' }, 'text'],
        ['/tasks', /^\/tasks\/\d+$/, { text: ' ' }, 'text'],
        ['/tags', '/tags', { name: 'a, b' }, 'name'],
        ['/memory', '/memory', { text: 'Likes tea', tags: '***' }, 'tags'],
        ['/admin/users', '/admin/users', { name: 'two words' }, 'name'],
        ['/personas', '/personas', { name: 'Cook', text: 'You cook.', temperature: 'warm' }, 'temperature'],
    ];
    for (const javaScriptEnabled of [true, false]) {
        const options = { javaScriptEnabled, allow: [/status of 4/] };
        const stranger = await blank(t, options), member = await blank(t, { as, ...options });
        for (const [path, action, filled, wrong] of refused) {
            const page = path === '/welcome' ? stranger : member;
            await page.goto(path);
            if (javaScriptEnabled) await ready(page);
            const at = await page.evaluate(([source, exact]) => [...document.forms].findIndex((f) => f.method === 'post' && (exact ? f.getAttribute('action') === source : new RegExp(source).test(f.getAttribute('action')))), [action.source ?? action, !action.source]);
            assert.ok(at >= 0, `${path} has the form`);
            const said = await Promise.all([
                page.waitForNavigation(),
                page.evaluate(([i, values]) => {
                    const form = document.forms[i];
                    for (const [name, value] of Object.entries(values)) form.elements[name].value = value;
                    form.submit(); // without the checks of the browser
                }, [at, filled]),
            ]);
            assert.ok(said[0].status() >= 400, `${path}: ${said[0].status()}`);
            // Asked from here: without JavaScript the page runs no callbacks.
            const focused = await until('a field has the focus', () => page.evaluate(() => {
                const e = document.activeElement;
                return e === document.body ? null : { name: e.name, invalid: e.getAttribute('aria-invalid'), seen: e.checkVisibility(), described: e.getAttribute('aria-describedby').split(' ').map((id) => document.getElementById(id)?.textContent.trim()) };
            }));
            assert.deepEqual([focused.name, focused.invalid, focused.seen], [wrong, 'true', true], `${path}, ${javaScriptEnabled ? 'with' : 'without'} scripts`);
            assert.equal(focused.described[0], (await page.locator('.problem').innerText()).trim());
            assert.ok(focused.described.every(Boolean));
            assert.equal(await page.locator('[aria-invalid]').count(), 1);
        }
    }
});

test('a choice of colours is kept', async (t) => {
    const as = await alfred.user('sofia');
    const page = await open(t, { as, path: '/settings', colorScheme: 'light' });
    const ground = () => page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
    const light = await ground();
    await Promise.all([page.waitForResponse((r) => r.request().method() !== 'GET'), page.getByRole('main').getByLabel('Dark').check()]);
    const dark = await ground();
    assert.notEqual(dark, light);
    await page.goto('/');
    assert.equal(await ground(), dark);
    await page.goto('/settings');
    assert.ok(await page.getByRole('main').getByLabel('Dark').isChecked());
});

test('an admin invites by a link, changes the role, disables and enables', async (t) => {
    const admin = await alfred.user('tilda', { role: 'admin' });
    const page = await open(t, { as: admin, path: '/admin/users' });
    await page.locator('details.add').evaluate((el) => { el.open = true; }); // it is open for an admin who is alone
    await page.getByLabel('Sign-in name').fill('uli');
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    const link = await page.getByLabel('Link for uli').inputValue();
    assert.match(link, /\/welcome#/);
    assert.match(await page.getByRole('listitem').filter({ hasText: 'uli' }).ariaSnapshot(), /Member never signed in/, 'a dot that is not read does not join words');

    // A new user opens the link, chooses a password and is signed in.
    const guest = await blank(t, { allow: [/status of 400/] });
    await guest.goto(link);
    await ready(guest);
    const name = guest.getByLabel('Sign-in name'), formTop = () => guest.locator('main form').evaluate((el) => el.getBoundingClientRect().top);
    await name.waitFor();
    assert.deepEqual([await name.inputValue(), await name.isEditable()], ['uli', false]);
    assert.deepEqual(await axe(guest), []);
    if (process.env.SHOTS) await guest.screenshot({ path: `${process.env.SHOTS}/invited.png` });
    // An error in another field does not show the code, and moves nothing.
    const top = await formTop();
    await guest.getByLabel('Password').fill('short but');
    await guest.locator('main form').evaluate((form) => form.submit());
    await guest.locator('[name=password][aria-invalid]').waitFor();
    assert.equal(await formTop(), top);
    assert.equal(await guest.locator('#code-field').isVisible() || await guest.locator('#code-hint').isVisible(), false);
    assert.equal(await name.inputValue(), 'uli');
    await guest.getByLabel('Password').fill(PASSWORD);
    await leads(guest, '/', () => guest.getByRole('button', { name: 'Continue' }).click());
    await guest.locator('#account-menu summary', { hasText: 'uli' }).waitFor();
    assert.equal(await guest.getByRole('link', { name: 'Users' }).count(), 0, 'a member has no users page');

    const row = page.getByRole('listitem').filter({ hasText: 'uli' });
    await page.goto('/admin/users');
    await leads(page, /\/admin\/users/, () => row.getByRole('button', { name: 'Make admin' }).click());
    assert.match(await row.innerText(), /Admin/);
    await leads(page, /\/admin\/users/, () => row.getByRole('button', { name: 'Make member' }).click());
    await leads(page, /\/admin\/users/, () => row.getByRole('button', { name: 'Disable' }).press('Enter'));
    assert.match(await row.innerText(), /disabled/);
    assert.ok(await row.evaluate((el) => el.contains(document.activeElement)), 'the focus stays in the row');
    await guest.goto('/');
    assert.match(guest.url(), /\/signin/, 'a disabled user is out at once');
    await leads(page, /\/admin\/users/, () => row.getByRole('button', { name: 'Enable' }).click());
    await alfred.signIn('uli');
});

test('a member who opens the users page gets an error page with a link back', async (t) => {
    const as = await alfred.user('vera');
    const page = await open(t, { as, path: '/admin/users', allow: [/status of 40[34]/] });
    await page.getByRole('heading', { level: 1 }).waitFor();
    await leads(page, '/', () => page.locator('.narrow-card a').click());
});
