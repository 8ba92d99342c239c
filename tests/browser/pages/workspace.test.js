// Workspaces on the pages: set and left on the sessions page, used as a filter, and for a new chat; with and without
// script.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Chat } from '../lib/chat.js';
import { axeInBothSchemes, sticksOut } from '../lib/look.js';
import { answers, asksForAnswer, leads, nextPage, phone, stage } from '../lib/stage.js';

const { alfred, provider, open } = await stage();
await alfred.user('wanda', { role: 'admin' });
const signedIn = async (t, more) => open(t, { as: await alfred.signIn('wanda'), ...more });

async function exchange(chat, text, answer) {
    provider.next(answers(answer), (call) => asksForAnswer(call) && call.asks(text));
    await chat.write(text);
    await chat.sendButton.click();
    await chat.reads(answer);
}
const items = (page) => page.locator('#session-list > li');
/** Moves the session of a row from a workspace to another one, or to none. With script the link opens a menu, without script it leads to a form. */
async function move(item, from, to, script) {
    const page = item.page();
    await item.getByRole('link', { name: /^Options of/ }).click();
    if (!script) {
        const field = page.getByRole('combobox', { name: 'Workspace' });
        assert.equal(await field.inputValue(), from);
        await field.fill(to);
        await nextPage(page, () => page.getByRole('button', { name: 'Save' }).click());
        return page.getByText('Title and workspace are saved.').first().waitFor();
    }
    await page.getByRole('menuitem', { name: 'Move to workspace' }).click();
    assert.equal(await page.getByRole('menuitem', { name: from, exact: true }).count(), 0, 'it is there already');
    await page.getByRole('menuitem', { name: to ? 'New workspace' : 'No workspace' }).click();
    if (to) {
        await page.keyboard.type(to);
        await page.keyboard.press('Enter');
    }
    await page.getByText(to ? `Moved to ${to}.` : 'In no workspace now.').waitFor();
}

for (const javaScriptEnabled of [true, false])
    test(`a chat begins in a workspace, is filtered, moved and taken out (script ${javaScriptEnabled ? 'on' : 'off'})`, async (t) => {
        const name = javaScriptEnabled ? 'Boat' : 'Attic', other = `${name} and more`;
        const page = await signedIn(t, { javaScriptEnabled, path: `/?workspace=${name}` });
        const chat = new Chat(page);
        await page.getByText(`This session begins in the workspace ${name}.`).waitFor();
        await exchange(chat, `First of ${name}`, `Answer of ${name}.`);
        await exchange(chat, `Second of ${name}`, `Another of ${name}.`);

        await page.goto('/sessions');
        await nextPage(page, () => page.getByRole('navigation', { name: 'Workspaces' }).getByRole('link', { name, exact: true }).click());
        assert.equal(await items(page).count(), 1);
        await move(items(page).first(), name, other, javaScriptEnabled);
        assert.equal(await items(page).count(), 0, 'it is no longer in this one');

        await page.goto(`/sessions?workspace=${encodeURIComponent(other)}`);
        assert.equal(await items(page).count(), 1);
        await page.getByRole('link', { name: 'Search this workspace' }).click();
        assert.match(page.url(), /\/search\?workspace=/);
        await page.goBack();
        await page.getByRole('link', { name: `New chat in ${other}` }).click();
        await page.getByText(`This session begins in the workspace ${other}.`).waitFor();

        await page.goto('/sessions');
        await move(items(page).filter({ hasText: other }), other, '', javaScriptEnabled);
        assert.equal(await items(page).filter({ hasText: other }).count(), 0);
    });

test('a session moves to a workspace by its menu in the sidebar, and back by Undo', async (t) => {
    const page = await signedIn(t, { path: '/?workspace=Garden' });
    const chat = new Chat(page);
    await exchange(chat, 'Which roses?', 'Red ones.');
    await page.goto('/');
    await exchange(chat, 'Which shed?', 'A small one.');
    const id = new URL(page.url()).pathname.slice(3);
    const workspace = async () => (await (await alfred.signIn('wanda')).getJson(`/api/sessions/${id}`)).session.workspace;
    await page.locator(`.side [data-session="${id}"]`).hover();
    await page.locator(`.side [data-session="${id}"] .row-more`).click();
    await page.getByRole('menuitem', { name: 'Move to workspace' }).click();
    await page.getByRole('menuitem', { name: 'Garden' }).click();
    await page.getByText('Moved to Garden.').waitFor();
    assert.equal(await workspace(), 'Garden');
    await page.locator('a.within', { hasText: 'Garden' }).click();
    await page.waitForURL(/\/sessions\?workspace=Garden$/);
    await page.goBack();
    await page.locator(`.side [data-session="${id}"]`).hover();
    await page.locator(`.side [data-session="${id}"] .row-more`).click();
    await page.getByRole('menuitem', { name: 'Move to workspace' }).click();
    await page.getByRole('menuitem', { name: 'No workspace' }).click();
    await page.locator('.within').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('Moved to Garden.').waitFor();
    assert.equal(await workspace(), 'Garden');
});

test('axe finds nothing serious, and a narrow page holds long names', async (t) => {
    const long = 'The renovation of the old post office in the village, twice';
    const page = await signedIn(t, { ...phone, viewport: { width: 320, height: 700 }, path: `/?workspace=${encodeURIComponent(long)}` });
    await exchange(new Chat(page), 'Long', 'Long indeed.');
    await page.goto(`/sessions?workspace=${encodeURIComponent(long)}`);
    await page.goto(await items(page).first().getByRole('link', { name: /^Options of/ }).getAttribute('href'));
    await page.getByRole('textbox', { name: 'Title' }).waitFor();
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth), 0);
    assert.deepEqual(await axeInBothSchemes(page), []);
});

test('the workspace of a conversation is before its title, on a phone below it, and Ctrl+K finds it', async (t) => {
    const name = 'Home renovation and everything around it, for years';
    for (const options of [{}, phone]) {
        const page = await signedIn(t, { path: `/?workspace=${encodeURIComponent(name)}`, ...options });
        const chat = new Chat(page), link = page.locator('.bar').getByRole('link', { name });
        await exchange(chat, 'Which paint is good?', 'One for walls.');
        const box = await link.boundingBox(), heading = page.getByRole('heading', { level: 1 }), title = await heading.boundingBox();
        const below = title.y + title.height - (await heading.evaluate((el) => parseFloat(getComputedStyle(el).paddingBottom)));
        assert.ok((options === phone ? below <= box.y : box.x + box.width <= title.x) && title.width > 60, JSON.stringify([box, title, below]));
        assert.deepEqual(await sticksOut(page), []);
        await page.reload();
        await leads(page, /\/sessions\?workspace=Home/, () => link.click());
        await page.keyboard.press('Control+k');
        await page.getByRole('combobox', { name: 'Search sessions, messages, facts and actions' }).waitFor();
        await page.keyboard.type('renov hom');
        const found = page.getByRole('dialog').getByRole('group', { name: 'Workspaces' }).getByRole('option', { name });
        await leads(page, /\/sessions\?workspace=Home/, () => found.click());
    }
    const page = await signedIn(t);
    await exchange(new Chat(page), 'Without one?', 'Yes.');
    await page.reload();
    assert.equal(await page.locator('.within').count(), 0);
});

test('on a phone the title of a conversation has the whole line, with the workspace below it', async (t) => {
    const client = await alfred.signIn('wanda');
    const page = await open(t, { as: client, ...phone });
    const chat = new Chat(page);
    await exchange(chat, 'About the wall of the garden', 'Noted.');
    const id = page.url().match(/ses_\w+/)[0];
    await client.request('PATCH', `/api/sessions/${id}`, { json: { title: 'Refactoring the invoice importer', workspace: 'Project Alpha Centauri' } });
    await page.reload();
    const title = await page.locator('#session-title').boundingBox(), within = await page.locator('.within').boundingBox(), bar = await page.locator('.bar').boundingBox();
    assert.ok(title.width >= 180, `${title.width} px`);
    assert.ok(within.y + within.height <= bar.y + bar.height && bar.height <= 57, JSON.stringify([within, bar]));
    assert.deepEqual(await sticksOut(page), []);
    await leads(page, /workspace=Project/, () => page.locator('.within').click());
});
