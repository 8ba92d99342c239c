// A temporary chat on the page: begun, counted down, kept, ended.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Chat } from '../lib/chat.js';
import { axe, sticksOut } from '../lib/look.js';
import { answers, asksForAnswer, phone, stage, until } from '../lib/stage.js';

const { alfred, provider, open, change } = await stage();
const anna = await alfred.admin('anna');
const again = () => alfred.signIn('anna');

async function begin(t, text, options = {}) {
    provider.next(answers(`Answer to ${text}`), (c) => asksForAnswer(c) && c.asks(text));
    const page = await open(t, { as: await again(), path: '/', ...options });
    await page.getByRole('link', { name: 'Temporary chat', exact: true }).click();
    await page.waitForURL('**/?temporary=1');
    await page.getByText('30 minutes after its last message').waitFor();
    const chat = Object.assign(new Chat(page), { page });
    await chat.send(text);
    await chat.reads(`Answer to ${text}`);
    return chat;
}
const line = (page) => page.locator('#temporary');

test('it says that it is temporary and how long it lives, and Keep makes it stay', async (t) => {
    const { page } = await begin(t, 'A passing thought');
    await line(page).getByText('is erased in 30 minutes').waitFor();
    assert.deepEqual(await axe(page), []);
    await page.locator('#sessions-nav .row-temporary').waitFor({ state: 'attached' });
    const session = page.url().split('/s/')[1];
    assert.equal((await anna.getJson(`/api/sessions/${session}`)).session.temporary, true);
    await line(page).getByRole('button', { name: 'Keep' }).click();
    const [start, end] = await page.locator('.toast').evaluate((el) => { const s = getComputedStyle(el); return [s.paddingInlineStart, s.paddingInlineEnd]; });
    assert.equal(end, start, 'a toast without a button has equal margins');
    await line(page).waitFor({ state: 'detached' });
    await page.locator('#sessions-nav .row-temporary').waitFor({ state: 'detached' });
    assert.equal((await anna.getJson(`/api/sessions/${session}`)).session.temporary, false);
});

test('its menus offer what a temporary chat can do; once it is kept, also the rest', async (t) => {
    const { page } = await begin(t, 'No menu for this'), KEPT = ['Search this session', 'Pin', 'Archive', 'Summary', 'Share', 'Export'];
    const row = page.locator(`#sessions-nav [data-session="${page.url().split('/s/')[1]}"]`);
    await row.locator('.row-temporary').waitFor({ state: 'attached' });
    const open = page.locator('#session-menu summary'), side = async () => { await row.hover(); return row.locator('.dots'); };
    const offered = async (button) => {
        await button.click();
        await page.getByRole('menuitem', { name: 'Delete' }).waitFor();
        const all = await page.getByRole('menuitem').allInnerTexts();
        await page.keyboard.press('Escape');
        return all;
    };
    const some = await offered(open);
    assert.deepEqual(some, ['Rename', 'Tags', 'Move to workspace', 'Answer settings', 'Details', 'Delete']);
    assert.deepEqual(await offered(await side()), some);
    await line(page).getByRole('button', { name: 'Keep' }).click();
    await row.locator('.row-temporary').waitFor({ state: 'detached' });
    for (const button of [open, await side()]) {
        const all = await offered(button);
        assert.deepEqual(all.filter((name) => !some.includes(name)), KEPT);
        assert.equal(all.length, some.length + KEPT.length);
    }
});

test('its end leads to a page that says so; another device that keeps it is seen', async (t) => {
    const { page } = await begin(t, 'Over soon', { allow: [/404/] });
    const session = page.url().split('/s/')[1];
    await page.reload();
    await line(page).getByText('is erased in').waitFor();
    change('UPDATE temporary SET ends_at = 1000 WHERE session_id = (SELECT id FROM session WHERE pub = ?)', session);
    await page.reload();
    await page.getByText('This temporary chat has ended.').waitFor();

    const other = await begin(t, 'Kept elsewhere');
    await line(other.page).waitFor();
    await anna.request('PATCH', `/api/sessions/${other.page.url().split('/s/')[1]}`, { json: { temporary: false } });
    await line(other.page).waitFor({ state: 'detached' });
});

test('what was typed and not sent ends with it', async (t) => {
    const { page, box } = await begin(t, 'Over in a moment', { allow: [/404/] });
    const session = page.url().split('/s/')[1];
    const stored = () => page.evaluate(() => Object.keys(localStorage).filter((k) => /draft|queue|sent/.test(k)));
    await box.fill('A secret that is not sent');
    await until('the draft is stored', async () => (await stored()).length);
    await page.evaluate((id) => localStorage.setItem(`alfred.queue.${id}`, '[{"id": "1", "text": "It waits"}]'), session);
    change('UPDATE temporary SET ends_at = 1000 WHERE session_id = (SELECT id FROM session WHERE pub = ?)', session);
    await page.evaluate(() => { Date.now = ((now) => () => now() + 3_600_000)(Date.now); }); // an hour later
    await page.getByText('This temporary chat has ended.').waitFor();
    assert.deepEqual(await stored(), []);
});

test('a sign-in that expired leads back to the temporary chat', async (t) => {
    const page = await open(t, { as: await alfred.user('leaver'), path: '/?temporary=1', allow: [/status of 401/] }), chat = new Chat(page);
    await page.context().clearCookies();
    await chat.send('A secret');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.waitForURL(/signin/);
    assert.equal(new URL(page.url()).searchParams.get('next'), '/?temporary=1');
    assert.equal(await page.locator('[name=next]').inputValue(), '/?temporary=1');
});

test('without script, in German, on a phone', async (t) => {
    const page = await open(t, { as: await again(), path: '/?temporary=1', javaScriptEnabled: false, locale: 'de-DE', ...phone });
    await page.getByText('30 Minuten nach der letzten Nachricht').waitFor();
    provider.next(answers('Ohne Script.'), (c) => asksForAnswer(c) && c.userText === 'Ein Gedanke');
    await page.locator('#text').fill('Ein Gedanke');
    await page.locator('.send').click();
    await page.locator('.answer').getByText('Ohne Script.').waitFor();
    await line(page).getByText('wird in 30 Minuten gelöscht').waitFor();
    const offered = () => page.locator('#session-menu :is(form a, button)').allTextContents();
    assert.deepEqual(await offered(), ['Einstellungen der Antworten', 'Titel und Arbeitsbereich', 'Details', 'Löschen']);
    assert.deepEqual(await sticksOut(page), []);
    assert.ok(await line(page).evaluate((el) => el.lastElementChild.getBoundingClientRect().right < el.getBoundingClientRect().right));
    await line(page).getByRole('button', { name: 'Behalten' }).click();
    await page.getByText('Der Chat bleibt erhalten.').first().waitFor();
    assert.equal(await line(page).count(), 0);
    assert.equal((await offered()).length, 9);
});
