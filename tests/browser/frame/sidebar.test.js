// The sidebar: all sessions that the user did not archive, by date and in parts; pins, the archive, menus, low windows.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import { test } from 'node:test';

import { startNginx } from '../../lib/nginx.js';
import { freePort } from '../../lib/rig.js';
import { Chat } from '../lib/chat.js';
import { axe } from '../lib/look.js';
import { answers, leads, loaded, nextPage, phone, quiet, ready, stage, until } from '../lib/stage.js';

const { alfred, provider, open, blank } = await stage();
const DAY_MS = 86_400_000;
const SIZES = [{ width: 360, height: 740 }, { width: 768, height: 1024 }, { width: 1440, height: 900 }];
const LOW = [{ width: 720, height: 450 }, { width: 740, height: 360 }, { width: 360, height: 225 }];

/** Adds `n` sessions beside the service, one every `everyMs` into the past; the newest is Talk 1. Gives their ids. */
function sessions(owner, n, everyMs) {
    const db = alfred.openDatabase();
    db.exec('BEGIN');
    const { id } = db.prepare('SELECT id FROM user WHERE name = ?').get(owner);
    const add = db.prepare("INSERT INTO session (pub, owner, title, titled_by, created_at, active_at, seen_at, message_count, archived_at) VALUES (?, ?, ?, 'user', ?, ?, ?, 0, ?)");
    const ids = [];
    for (let i = 1; i <= n; i++) {
        const at = Date.now() - i * everyMs;
        ids.push(`ses_${String(id).padStart(6, '0')}${String(i).padStart(20, '0')}`);
        add.run(ids.at(-1), id, `Talk ${i}`, at, at, at, i * everyMs > DAY_MS ? at + DAY_MS : null);
    }
    db.exec('COMMIT');
    db.close();
    return ids;
}

async function reader(name, n = 0, everyMs = DAY_MS) {
    const client = await alfred.user(name);
    return { client, ids: sessions(name, n, everyMs) };
}

const row = (page, id) => page.locator(`#sessions-nav [data-session="${id}"]`);
const titles = (page, group) => page.locator('#sessions-nav section', group && { has: page.locator('h2', { hasText: new RegExp(`^${group}$`) }) }).locator('.row-title').allTextContents();
const headings = (page) => page.locator('#sessions-nav h2').allTextContents();
const drawer = async (page) => {
    if (page.viewportSize().width < 900) await page.locator('.side-open').click();
};
async function choose(page, id, what) {
    await row(page, id).hover();
    await row(page, id).getByRole('button').click();
    await page.getByRole('menuitem', { name: what }).click();
}

for (const viewport of SIZES) {
    test(`a thousand sessions are listed by date and load while scrolling (${viewport.width} px)`, async (t) => {
        const { client, ids } = await reader(`many${viewport.width}`, 1000, DAY_MS);
        const page = await open(t, { as: client, viewport, path: `/s/${ids[900]}` });
        const chat = new Chat(page);
        await drawer(page);
        assert.deepEqual((await headings(page)).slice(0, 4), ['Open', 'Yesterday', 'Previous 7 days', 'Previous 30 days']);
        const open900 = row(page, ids[900]);
        assert.equal(await open900.locator('[aria-current=page]').count(), 1, 'the open session has a row');
        const before = await chat.rows.count();
        assert.ok(before < 120, `${before} rows at first`);
        for (let last = -1; ; ) {
            const now = await chat.rows.count();
            if (now >= 1000) break;
            if (now !== last) await page.locator('a.side-more').evaluate((el) => el.scrollIntoView());
            last = now;
            await until('more rows', async () => (await chat.rows.count()) > now);
        }
        assert.equal(await page.locator('a.side-more').count(), 0);
        const all = await titles(page);
        const rest = Array.from({ length: 1000 }, (_, i) => `Talk ${i + 1}`).filter((name) => name !== 'Talk 901');
        assert.deepEqual(all, ['Talk 901', ...rest], 'each once, in order');
        const names = await headings(page);
        assert.equal(new Set(names).size, names.length, 'each heading once');
        assert.equal(await page.locator('#sessions-nav [aria-current=page]').count(), 1);
    });
}

test('a list of many rows keeps all of them, and its place, after a change elsewhere', async (t) => {
    const { client, ids } = await reader('manyrows', 500, DAY_MS);
    const page = await open(t, { as: client, path: `/s/${ids[440]}` }), chat = new Chat(page);
    await loaded(page, 'frame/follow');
    for (let now; (now = await chat.rows.count()) < 420;) {
        await page.locator('a.side-more').evaluate((el) => el.scrollIntoView());
        await until('more rows', async () => (await chat.rows.count()) > now);
    }
    await row(page, ids[400]).scrollIntoViewIfNeeded();
    const list = page.locator('#sessions-nav'), top = await list.evaluate((el) => el.scrollTop), n = await chat.rows.count();
    await client.request('PATCH', `/api/sessions/${ids[399]}`, { json: { title: 'Renamed elsewhere' } });
    await row(page, ids[399]).getByText('Renamed elsewhere').waitFor();
    assert.ok((await chat.rows.count()) >= n, 'no row has gone');
    assert.equal(await list.evaluate((el) => el.scrollTop), top);
    assert.deepEqual((await titles(page)).filter((title) => title !== 'Talk 441').slice(0, 399), Array.from({ length: 399 }, (_, i) => `Talk ${i + 1}`));
    assert.equal(await page.locator('#sessions-nav [aria-current=page]').count(), 1);
});

for (const viewport of SIZES) {
    test(`the list keeps its place and its rows on the next page (${viewport.width} px)`, async (t) => {
        const { client, ids } = await reader(`stays${viewport.width}`, 400, DAY_MS);
        const page = await open(t, { as: client, viewport, path: '/tasks' });
        const chat = new Chat(page), list = page.locator('#sessions-nav');
        // Where the list is in the first frame with the page's scripts.
        await page.addInitScript(() => document.addEventListener('DOMContentLoaded', () => { window.first = document.querySelector('#sessions-nav').scrollTop; }));
        const top = () => list.evaluate((el) => el.scrollTop);
        const current = (id) => until('the open session is in view', () => row(page, id).evaluate((el) => {
            const r = el.getBoundingClientRect(), all = el.closest('nav').getBoundingClientRect();
            return !!el.querySelector('[aria-current]') && r.top >= all.top && r.bottom <= all.bottom;
        }));
        await drawer(page);
        await list.evaluate((el) => { el.scrollTop = 250; });
        await leads(page, /\/s\//, () => row(page, ids[12]).locator('a').evaluate((el) => el.click()));
        assert.equal(await page.evaluate('first'), 250);
        await current(ids[12]);
        await drawer(page);
        for (let now; (now = await chat.rows.count()) < 280;) {
            await page.locator('a.side-more').evaluate((el) => el.scrollIntoView());
            await until('more rows', async () => (await chat.rows.count()) > now);
        }
        await row(page, ids[250]).scrollIntoViewIfNeeded();
        const before = [await top(), await chat.rows.count()];
        await leads(page, /\/s\//, () => row(page, ids[250]).locator('a').evaluate((el) => el.click()));
        await until('the rows are there', async () => (await chat.rows.count()) >= before[1]);
        await until('the list is where it was', async () => Math.abs((await top()) - before[0]) < 2);
        await current(ids[250]);
        assert.deepEqual((await titles(page)).slice(0, 280), Array.from({ length: 280 }, (_, i) => `Talk ${i + 1}`));
        // Another page of the menu, without an open session.
        await drawer(page);
        await leads(page, /\/memory/, () => page.locator('#side a[href="/memory"]').evaluate((el) => el.click()));
        await until('the list is where it was', async () => Math.abs((await top()) - before[0]) < 2);
    });
}

for (const viewport of SIZES) {
    test(`a pinned session comes first with a mark; Undo takes it back (${viewport.width} px)`, async (t) => {
        const { client, ids } = await reader(`pin${viewport.width}`, 5);
        const page = await open(t, { as: client, viewport });
        await drawer(page);
        await choose(page, ids[3], 'Pin');
        await until('it is in its group', async () => (await titles(page, 'Pinned')).join() === 'Talk 4');
        assert.deepEqual(await titles(page), ['Talk 4', 'Talk 1', 'Talk 2', 'Talk 3', 'Talk 5']);
        assert.notEqual(await row(page, ids[3]).locator('a').evaluate((el) => getComputedStyle(el, '::after').clipPath), 'none', 'the mark');
        const toast = page.locator('.toast');
        assert.match(await toast.innerText(), /Pinned/);
        await row(page, ids[3]).locator('.row-more').click();
        await page.getByRole('menu').waitFor();
        await until('the toast covers no entry of a menu', () => page.getByRole('menuitem').evaluateAll((all) => all.every((el) => {
            const { left, right, top, bottom } = el.getBoundingClientRect();
            return [left + 8, right - 8].every((x) => el.contains(document.elementFromPoint(x, (top + bottom) / 2)));
        })));
        await page.keyboard.press('Escape');
        await toast.hover(); // it stays
        assert.deepEqual(await axe(page), []);
        assert.ok(await row(page, ids[3]).evaluate((el) => el.contains(document.activeElement)), 'the focus stays with it');
        await toast.getByRole('button', { name: 'Undo' }).click();
        await until('it is back', async () => (await titles(page)).join() === 'Talk 1,Talk 2,Talk 3,Talk 4,Talk 5');
        assert.equal((await client.getJson(`/api/sessions/${ids[3]}`)).session.pinned, false);
        await page.reload();
        assert.deepEqual(await titles(page), ['Talk 1', 'Talk 2', 'Talk 3', 'Talk 4', 'Talk 5']);
    });

    test(`an archived session leaves the list; Undo and Unarchive bring it back (${viewport.width} px)`, async (t) => {
        const { client, ids } = await reader(`arch${viewport.width}`, 5);
        const page = await open(t, { as: client, viewport, path: `/s/${ids[4]}` });
        await drawer(page);
        await choose(page, ids[0], 'Archive');
        await row(page, ids[0]).waitFor({ state: 'detached' });
        await page.locator('.toast').getByRole('button', { name: 'Undo' }).click();
        await row(page, ids[0]).waitFor();
        await choose(page, ids[0], 'Pin');
        await until('it is pinned', async () => (await titles(page, 'Pinned')).length === 1);
        await choose(page, ids[0], 'Archive');
        await row(page, ids[0]).waitFor({ state: 'detached' });
        await page.locator('.toast', { hasText: 'Archived' }).getByRole('button', { name: 'Undo' }).click(); // that of Pin may be there still
        await until('it is pinned again', async () => (await titles(page, 'Pinned')).join() === 'Talk 1');
        // The open session, from its own menu: its row stays, under another heading.
        await page.keyboard.press('Escape');
        await page.locator('#session-menu summary').click();
        await page.getByRole('menuitem', { name: 'Archive' }).click();
        await until('it stands apart', async () => (await titles(page, 'Archived')).join() === 'Talk 5');
        await page.locator('#session-menu summary').click();
        await page.getByRole('menuitem', { name: 'Unarchive' }).click();
        await until('it is back', async () => (await titles(page, 'Archived')).length === 0 && (await titles(page)).length === 5);
        await page.goto('/sessions');
        await ready(page);
        await page.getByRole('link', { name: 'Options of Talk 2' }).click();
        await page.getByRole('menuitem', { name: 'Archive' }).click();
        await page.locator(`#session-list [data-session="${ids[1]}"]`).waitFor({ state: 'detached' });
        await leads(page, /show=hidden/, () => page.getByRole('navigation', { name: 'Show' }).getByRole('link', { name: 'Archived' }).click());
        assert.match(await page.locator('#session-list').innerText(), /Talk 2/);
    });
}

test('the groups follow the time zone of the browser', async (t) => {
    const { client } = await reader('zoe');
    const db = alfred.openDatabase();
    const noon = new Date().setUTCHours(0, 30, 0, 0);
    db.prepare("INSERT INTO session (pub, owner, title, titled_by, created_at, active_at, seen_at) SELECT 'ses_00000000000000000000000zoe', id, 'Just after midnight', 'user', ?, ?, ? FROM user WHERE name = 'zoe'").run(noon, noon, noon);
    db.close();
    const page = await open(t, { as: client, timezoneId: 'America/Los_Angeles' });
    const there = new Intl.DateTimeFormat('en', { timeZone: 'America/Los_Angeles', day: 'numeric' });
    const expected = there.format(noon) === there.format(Date.now()) ? 'Today' : 'Yesterday';
    await until('the server knows the zone', async () => (await client.getJson('/api/me')).time_zone === 'America/Los_Angeles');
    await until('the heading is right', async () => (await headings(page)).join() === expected);
    await page.reload();
    assert.deepEqual(await headings(page), [expected]);
    assert.equal((await client.request('PATCH', '/api/me', { json: { time_zone: '../etc' } })).status, 400);
});

for (const viewport of LOW) {
    test(`in a low window everything can be reached (${viewport.width} x ${viewport.height})`, async (t) => {
        const name = `low${viewport.width}x${viewport.height}`, { client, ids } = await reader(name, 90);
        provider.next(answers('A line.\n\n'.repeat(40)), (call) => call.userText === `Long, for ${name}`);
        const sent = await client.postJson('/api/sessions/new/messages', { text: `Long, for ${name}` });
        await (await client.events(`/api/turns/${sent.json.turn}/events`)).until((e) => e.event === 'end');
        // The title and the time zone change rows; a row that is replaced cannot be reached.
        await until('the session has its title', async () => (await client.getJson(`/api/sessions/${sent.json.session.id}`)).session.title === 'A short title');
        const page = await open(t, { as: client, viewport, path: sent.json.session.url });
        await quiet(page);
        // low.css comes a moment after the page. Its bar is above the window until the reader scrolls up.
        await page.waitForFunction(() => getComputedStyle(document.querySelector('.bar')).position === 'sticky');
        const sticky = await page.evaluate(() => [...document.querySelectorAll('body *')].filter((el) => getComputedStyle(el).position === 'sticky' && el.checkVisibility()).map((el) => el.className));
        assert.deepEqual(sticky, ['bar'], 'nothing else is sticky');
        await page.evaluate(() => scrollTo(0, 0));
        await page.locator('[data-bar]').waitFor();
        await page.evaluate(() => scrollTo(0, document.documentElement.scrollHeight / 2));
        await page.locator('html:not([data-bar])').waitFor();
        const covered = () => page.evaluate(() => [2, innerHeight - 2].filter((y) => !document.elementFromPoint(innerWidth / 2, y)?.closest('main')));
        await until('the whole height is conversation', async () => (await covered()).length === 0);
        await page.evaluate(() => scrollTo(0, 0));
        await page.locator('#session-menu > summary').click();
        for (const item of await page.getByRole('menuitem').all()) {
            await item.scrollIntoViewIfNeeded();
            await item.click({ trial: true });
        }
        await page.keyboard.press('Escape');
        await page.locator('.side-open').click();
        const reach = async (target) => {
            await target.scrollIntoViewIfNeeded();
            const box = await target.boundingBox();
            assert.ok(box && box.y >= 0 && box.y + box.height <= viewport.height, JSON.stringify(box));
            await target.click({ trial: true });
        };
        await reach(row(page, ids[0]));
        await reach(row(page, ids[20]));
        const account = page.locator('#account-menu > summary'), rows = page.locator('#sessions-nav .row');
        const shown = await rows.count();
        await reach(account);
        await quiet(page);
        assert.equal(await rows.count(), shown, 'the list does not grow before the reader, who is on the way to what is below it');
        await page.getByRole('link', { name: 'More sessions' }).click();
        await until('more are there', async () => (await rows.count()) > shown);
        assert.ok(await rows.nth(shown).evaluate((el) => el.contains(document.activeElement)), 'the first new one has the focus');
        await reach(account);
        await account.click();
        await reach(page.getByRole('button', { name: 'Sign out', exact: true }));
        await reach(page.locator('#account-menu').getByRole('link', { name: 'Your data' }));
        await leads(page, /\/signin/, () => page.getByRole('button', { name: 'Sign out', exact: true }).click());
    });
}

test('the account menu holds pages, theme and sign-out, opens by keyboard and closes with Esc', async (t) => {
    const client = await alfred.user('root2', { role: 'admin' });
    const page = await open(t, { as: client, colorScheme: 'light' });
    const menu = page.locator('#account-menu'), summary = menu.locator('summary'), box = menu.locator('.account-box');
    await summary.focus();
    await page.keyboard.press('Enter');
    await box.waitFor();
    assert.deepEqual((await box.getByRole('link').allInnerTexts()).map((s) => s.trim()), ['Settings', 'Account', 'Personas and prompts', 'Tags', 'Trash', 'Your data', 'Shared links', 'Users', 'Jobs', 'Telegram', 'Outbox']);
    assert.deepEqual(await axe(page), []);
    const ground = () => page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
    const light = await ground();
    await box.getByText('Dark').click();
    assert.notEqual(await ground(), light);
    await page.keyboard.press('Escape');
    await box.waitFor({ state: 'hidden' });
    assert.ok(await summary.evaluate((el) => el === document.activeElement));
    await summary.click();
    assert.ok(await box.getByRole('radio', { name: 'Dark' }).isChecked());
    await page.locator('main').click({ position: { x: 5, y: 5 } });
    await box.waitFor({ state: 'hidden' });
    const member = await open(t, { as: (await reader('plain2')).client, javaScriptEnabled: false });
    await member.locator('#account-menu > summary').click();
    // Members share nothing unless the setting allows it.
    assert.deepEqual((await member.locator('.account-box').getByRole('link').allInnerTexts()).map((s) => s.trim()), ['Settings', 'Account', 'Personas and prompts', 'Tags', 'Trash', 'Your data']);
    assert.equal(await member.locator('.themes').isVisible(), false);
});

test('the account menu of an admin is within the window on a phone and in a low window', async (t) => {
    const client = await alfred.user('root3', { role: 'admin' });
    const page = await blank(t, { as: client });
    for (const viewport of [{ width: 360, height: 740 }, { width: 360, height: 610 }, { width: 1280, height: 610 }]) {
        await page.setViewportSize(viewport);
        await page.goto('/');
        await ready(page);
        if (viewport.width < 900) await page.getByRole('button', { name: 'Show the sidebar' }).or(page.locator('.bar .side-open')).first().click();
        await page.locator('#account-menu > summary').click();
        const box = page.locator('.account-box');
        await box.waitFor();
        const { y, height } = await box.boundingBox();
        assert.ok(y >= 0 && y + height <= viewport.height, `${viewport.height}: ${y} to ${y + height}`);
        await leads(page, '/personas', () => box.getByRole('link', { name: 'Personas and prompts' }).click());
        assert.equal(await box.locator('[aria-current=page]').textContent(), 'Personas and prompts');
        await leads(page, '/prompts', () => page.getByRole('navigation', { name: 'Personas and prompts' }).getByRole('link', { name: 'Prompts' }).click());
    }
});

test('without a script: the next part, pinning and archiving from the menu of the session', async (t) => {
    const { client, ids } = await reader('nils', 60);
    const page = await open(t, { as: client, javaScriptEnabled: false, path: `/s/${ids[50]}` });
    assert.equal(await row(page, ids[50]).locator('[aria-current=page]').count(), 1);
    const menu = page.locator('#session-menu');
    const pick = async (name, role = 'button') => {
        await menu.locator('summary').click();
        await nextPage(page, () => menu.getByRole(role, { name, exact: true }).click());
    };
    await pick('Pin');
    assert.deepEqual(await titles(page, 'Pinned'), ['Talk 51']);
    await pick('Archive');
    assert.deepEqual(await titles(page, 'Archived'), ['Talk 51']);
    await pick('Unarchive');
    assert.match(await page.locator('.flash').innerText(), /back in the list/);
    await pick('Title and workspace', 'link');
    await page.getByRole('textbox', { name: 'Title' }).fill('Another name');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.locator('.item-title', { hasText: 'Another name' }).waitFor();
    await nextPage(page, () => page.locator('a.side-more').click());
    assert.match(await page.locator('#session-list').innerText(), /Talk 33/);
    await page.getByRole('link', { name: 'Search', exact: true }).click();
    await page.waitForURL(/\/search/);
});

test('on a phone every page has New chat, one menu in each row, and long model names can be read', async (t) => {
    const { client } = await reader('phila', 3);
    const page = await blank(t, { as: client, ...phone, allow: [/status of 404/] });
    for (const path of ['/sessions', '/memory', '/tasks', '/search', '/account', '/data', '/nowhere', '/']) {
        await page.goto(path);
        await ready(page);
        assert.ok(await page.locator('.bar').getByRole('link', { name: 'New chat' }).isVisible(), path);
    }
    const cut = (make) => page.evaluate((select) => {
        const name = 'openrouter · anthropic/claude-sonnet-4.5', old = document.querySelector('.choice');
        const box = document.createElement(select ? 'label' : 'span');
        box.className = 'choice';
        const text = box.appendChild(document.createElement(select ? 'select' : 'span'));
        if (select) text.add(new Option(name));
        else text.append(name);
        old.replaceWith(box);
        const row = document.querySelector('.composer-row').getBoundingClientRect(), send = document.querySelector('.send').getBoundingClientRect();
        const bare = document.createElement('span');
        bare.style.cssText = `position:absolute;white-space:nowrap;font:${getComputedStyle(text).font}`;
        bare.append(name);
        document.body.append(bare);
        return { shown: box.getBoundingClientRect().width, needed: bare.offsetWidth, end: row.right - send.right, height: row.height };
    }, make === 'select');
    for (const make of ['span', 'select']) {
        const { shown, needed, end, height } = await cut(make);
        assert.ok(shown + 1 >= needed, `${make}: ${shown} px for ${needed}`);
        assert.ok(end < 12, 'Send stands at the end of its row');
        assert.ok(height < 100, `two lines at most: ${height} px`);
    }
});

test('the browser can install Alfred: a manifest and icons with the right types', async (t) => {
    const page = await open(t, { as: (await reader('ines')).client });
    const href = await page.locator('link[rel=manifest]').getAttribute('href');
    const res = await page.request.get(href);
    assert.equal(res.headers()['content-type'], 'application/manifest+json');
    const manifest = await res.json();
    assert.deepEqual([manifest.name, manifest.start_url, manifest.display], ['Alfred', '/', 'standalone']);
    for (const { src, type, sizes } of [...manifest.icons, { src: await page.locator('link[rel=apple-touch-icon]').getAttribute('href'), type: 'image/png', sizes: '180x180' }]) {
        const url = new URL(src, new URL(href, alfred.baseUrl)).href, icon = await page.request.get(url);
        assert.deepEqual([icon.status(), icon.headers()['content-type'].split(';')[0]], [200, type], src);
        const size = await page.evaluate(async (from) => { const img = new Image(); img.src = from; await img.decode(); return `${img.naturalWidth}x${img.naturalHeight}`; }, url);
        if (sizes !== 'any') assert.equal(size, sizes);
    }
    const cdp = await page.context().newCDPSession(page);
    const { errors, data } = await cdp.send('Page.getAppManifest');
    assert.deepEqual(errors, [], 'Chromium takes it, so the policy allows it');
    assert.ok(data);
});

test('behind a proxy with a sign-in of its own, the manifest is requested with the cookie of that proxy', async (t) => {
    const dir = mkdtempSync(`${os.tmpdir()}/alfred-gate-`), port = await freePort();
    t.after(() => rmSync(dir, { recursive: true, force: true }));
    await startNginx(t, dir, `server { listen 127.0.0.1:${port}; if ($cookie_gate != "open") { return 401; } location / { proxy_pass ${alfred.httpUrl}; proxy_set_header Host $host; } }`, port);
    const baseURL = `http://localhost:${port}`, page = await blank(t, { baseURL });
    await page.context().addCookies([{ name: 'gate', value: 'open', url: baseURL }]);
    await page.goto('/signin');
    await ready(page);
    const cdp = await page.context().newCDPSession(page);
    assert.match((await cdp.send('Page.getAppManifest')).data ?? '', /"Alfred"/);
});

test('the open session is renamed in its bar, also one that was just begun', async (t) => {
    const { client, ids } = await reader('rena', 2);
    const page = await open(t, { as: client, path: `/s/${ids[0]}` });
    const rename = async (to, key) => {
        await page.locator('#session-menu > summary').click();
        await page.getByRole('menuitem', { name: 'Rename' }).click();
        const field = page.locator('.bar').getByRole('textbox', { name: 'Title' });
        await field.fill(to);
        await field.press(key);
    };
    await rename('Dropped', 'Escape');
    assert.equal(await page.locator('#session-title').innerText(), 'Talk 1');
    await rename('Another name', 'Enter');
    assert.equal(await page.locator('#session-title').innerText(), 'Another name');
    assert.deepEqual(await titles(page), ['Another name', 'Talk 2']);
    assert.ok(await page.locator('#session-menu > summary').evaluate((el) => el === document.activeElement));
    await until('it is stored', async () => (await client.getJson(`/api/sessions/${ids[0]}`)).session.title === 'Another name');

    await leads(page, `${alfred.baseUrl}/`, () => page.getByRole('link', { name: 'New chat' }).first().click());
    const chat = new Chat(page);
    await chat.exchange(provider, answers('Hello.'), 'Good morning');
    await rename('Mornings', 'Enter');
    await until('its row says so', async () => (await titles(page))[0] === 'Mornings');
    await page.locator('#session-menu > summary').click();
    await page.getByRole('menuitem', { name: 'Pin' }).click();
    await until('it is pinned', async () => (await titles(page, 'Pinned')).join() === 'Mornings');
});
