// Text and files of the user are not lost by another tab, a command, a Retry, a refused edit or a slow script, and they are
// sent as the page shows them.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { exchange } from '../../lib/chat.js';
import { png } from '../../lib/picture.js';
import { PASSWORD } from '../../lib/rig.js';
import { Chat } from '../lib/chat.js';
import { axe } from '../lib/look.js';
import { answers, asksForAnswer, phone, ready, stage, until } from '../lib/stage.js';

const { alfred, provider, open, blank } = await stage({ two: true });
const anna = await alfred.admin('anna');
provider.always(answers('Noted.'), (call) => asksForAnswer(call));
const RED = { name: 'red.png', mimeType: 'image/png', buffer: png(40, 30, [200, 30, 30]) };
const last = (text) => provider.calls.findLast((c) => asksForAnswer(c) && c.userText.includes(text));
const choices = (await anna.getJson('/api/me')).choices.map((c) => c.value);
const [seeing, other] = choices.filter((c) => !c.startsWith('offline'));

/** Chooses files with the button beside the box. */
async function attach(page, ...files) {
    const [chooser] = await Promise.all([page.waitForEvent('filechooser'), page.locator('#attach').click()]);
    await chooser.setFiles(files);
}
const shots = (page) => page.locator('.shots img');

test('a message that one tab sends leaves the other text of another tab alone', async (t) => {
    const as = await alfred.user('tabs');
    const page = await open(t, { as }), second = await page.context().newPage();
    await Promise.all([second.waitForResponse(/watch\.js/), second.goto('/')]);
    await ready(second);
    const one = new Chat(page), two = new Chat(second);
    const stored = (text) => until(`${text} is stored`, () => second.evaluate((want) => Object.entries(localStorage).some(([key, value]) => key.startsWith('alfred.draft.') && value === want), text));
    await one.write('The first');
    await stored('The first');
    await two.write('The second');
    await stored('The second');
    await one.box.press('Enter');
    await one.reads('Noted.');
    await one.settled();
    assert.equal(await two.box.inputValue(), 'The second');
    await second.reload();
    assert.equal(await two.box.inputValue(), 'The second');
});

test('a file that is pasted before the scripts for it have come is in the message, also when Enter follows at once', async (t) => {
    const page = await blank(t, { as: anna });
    let release;
    const held = new Promise((ok) => { release = ok; });
    await page.route(/\/js\/composer\/files\.js/, async (route) => {
        await held;
        await route.continue();
    });
    await page.goto('/');
    await ready(page);
    const chat = new Chat(page);
    const taken = await page.evaluate(() => {
        const data = new DataTransfer();
        data.items.add(new File(['one\ntwo\n'], 'log.txt'));
        return !document.querySelector('#text').dispatchEvent(new ClipboardEvent('paste', { bubbles: true, cancelable: true, clipboardData: data }));
    });
    assert.ok(taken);
    await chat.box.press('End');
    await page.keyboard.type('Sum this up');
    await page.keyboard.press('Enter');
    assert.equal(await chat.messages.count(), 0);
    release();
    await chat.reads('Noted.');
    assert.match(last('Sum this up').userText, /log\.txt\n```\none\ntwo\n```/);
});

test('a message is sent once when the module that sends it comes late, and stays in the box when that does not come', async (t) => {
    const page = await blank(t, { as: anna, allow: [/Failed to load resource: net::ERR_FAILED/] });
    let asked = 0, release;
    const held = new Promise((ok) => { release = ok; });
    await page.route(/\/js\/composer\/send\.js/, async (route) => {
        if (++asked < 3) return route.abort('failed');
        await held;
        await route.continue();
    });
    await page.goto('/');
    await ready(page);
    const chat = new Chat(page);
    await page.keyboard.type('Came late');
    await page.keyboard.press('Enter');
    await page.locator('#alerts .problem').waitFor();
    assert.equal(await chat.box.inputValue(), 'Came late');
    await until('it is asked for again', async () => {
        await page.keyboard.press('Enter'); // may meet a request that fails
        return asked > 2;
    });
    await page.keyboard.press('Enter');
    release();
    await chat.reads('Noted.');
    await chat.settled();
    assert.equal(await chat.box.inputValue(), '');
    assert.equal(provider.calls.filter((c) => asksForAnswer(c) && c.userText.includes('Came late')).length, 1);
});

test('the text of an edit that is refused, because the user has signed out, is in the box after the next sign-in', async (t) => {
    const ben = await alfred.user('ben');
    const { session } = await exchange(ben, provider, 'The old question', 'Noted.');
    const page = await open(t, { as: ben, path: `/s/${session}`, allow: [/status of 401/] });
    const chat = new Chat(page);
    await chat.act(chat.question, 'Edit').click();
    const editor = chat.question.getByRole('textbox');
    await editor.fill('A question that took an hour to write');
    const cookies = await page.context().cookies();
    await page.context().clearCookies();
    await editor.press('Control+Enter');
    await page.locator('#send-problem').getByRole('button', { name: 'Sign in' }).waitFor();
    assert.equal(await chat.box.inputValue(), 'A question that took an hour to write');
    await page.context().addCookies(cookies);
    await page.goto(`/s/${session}`);
    assert.equal(await chat.box.inputValue(), 'A question that took an hour to write');
});

test('a command leaves the pictures of the message, and changes the model that the next message asks', async (t) => {
    const { session } = await exchange(anna, provider, 'A beginning', 'Noted.', { choice: seeing });
    const page = await open(t, { as: anna, path: `/s/${session}` });
    const chat = new Chat(page), model = page.locator('select[name=choice]');
    assert.equal(await model.inputValue(), seeing);
    await attach(page, RED);
    await shots(page).waitFor();
    await chat.send(`/model ${other}`);
    await page.locator('#command').waitFor();
    await until('the page has the model', async () => (await model.inputValue()) === other);
    assert.equal(await shots(page).count(), 1);
    await chat.send('Which model are you?');
    await until('it is asked', () => last('Which model are you?'));
    await chat.settled();
    assert.match(JSON.stringify(last('Which model are you?').body.messages), /image/);
    await page.reload();
    assert.equal(await model.inputValue(), other, 'of the session, not that of new chats');
});

test('a message goes to the model that another device has chosen meanwhile, and the page shows it', async (t) => {
    const { session } = await exchange(anna, provider, 'On the laptop', 'Noted.', { choice: seeing });
    const page = await open(t, { as: anna, path: `/s/${session}` });
    const chat = new Chat(page), model = page.locator('select[name=choice]');
    await page.waitForFunction(() => performance.getEntriesByType('resource').some((e) => e.name.endsWith('/chat/watch.js')));
    assert.equal((await anna.request('PATCH', `/api/sessions/${session}`, { json: { choice: other } })).status, 200);
    await chat.send('Who answers?');
    await chat.settled();
    assert.equal(last('Who answers?').protocol, 'anthropic');
    await page.goto(`/s/${session}?choice=${encodeURIComponent(seeing)}`); // where the page of models leads to
    await chat.send('And now?');
    await chat.settled();
    assert.equal(last('And now?').protocol, 'openai');
    await exchange(anna, provider, 'From the phone', 'Noted.', { session, choice: seeing });
    await chat.questions.locator('.bubble', { hasText: 'From the phone' }).waitFor();
    await model.selectOption(other);
    await until('the session has it', async () => alfred.sql('SELECT provider FROM session WHERE pub = ?', session)[0].provider === 'anthropic');
    await exchange(anna, provider, 'From the phone again', 'Noted.', { session, choice: seeing });
    await until('the page has the model', async () => (await model.inputValue()) === seeing);
});

test('a line that was no command is in the box again when its card is closed', async (t) => {
    const page = await open(t, { as: anna });
    const chat = new Chat(page);
    await chat.send('/remimd me of the dentist tomorrow at nine');
    await page.getByRole('button', { name: 'Send as message' }).waitFor();
    await page.locator('[data-command=close]').click();
    assert.equal(await chat.box.inputValue(), '/remimd me of the dentist tomorrow at nine');
});

test('Retry sends what the box shows now, with the model that is chosen now', async (t) => {
    const page = await open(t, { as: anna, allow: [/status of 400/] });
    const chat = new Chat(page), model = page.locator('select[name=choice]');
    await model.selectOption('offline/offline');
    await attach(page, RED);
    await shots(page).waitFor();
    await chat.send('What is in this picture?');
    const problem = page.locator('#send-problem');
    await problem.getByText('does not support pictures').waitFor();
    await model.selectOption(seeing);
    await problem.getByRole('button', { name: 'Retry' }).click();
    await chat.reads('Noted.');
    await chat.settled();
    assert.match(JSON.stringify(last('What is in this picture?').body.messages), /image/);
    assert.equal(await shots(page).count(), 0);
});

/** Signs the user out on this device, from another one. */
const signOut = async (name) => (await alfred.signIn(name)).post('/account/logins/revoke-others');
async function signIn(page, name) {
    await page.getByLabel('Name').fill(name);
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Sign in' }).click();
}

test('a long persona is in its form again after the sign-in, is not saved by itself, and no other user sees it', async (t) => {
    const page = await open(t, { as: await alfred.user('cleo'), path: '/personas', allow: [/status of 401/] }), text = 'You are a patient teacher.\nYou ask first.';
    const fill = async () => {
        if (!(await page.locator('.add[open]').count())) await page.locator('.add > summary').click();
        await page.locator('.add').getByLabel('Name').fill('Teacher');
        await page.locator('.add textarea').fill(text);
        await page.locator('.add').getByLabel('Memory').uncheck();
        await signOut('cleo');
        await page.locator('.add').getByRole('button', { name: 'Add' }).click();
        await page.locator('#typed').waitFor();
        assert.deepEqual(await page.locator('#typed textarea').evaluateAll((all) => all.map((el) => el.value)), ['Teacher', text]);
        assert.deepEqual(await axe(page), []);
    };
    await fill();
    await page.getByRole('link', { name: 'sign-in' }).click();
    await signIn(page, 'cleo');
    await page.getByText('Your text is back.').waitFor();
    assert.equal(new URL(page.url()).pathname, '/personas');
    assert.equal(await page.locator('.add textarea').inputValue(), text);
    assert.equal(await page.locator('.add').getByLabel('Memory').isChecked(), false);
    assert.equal(alfred.sql('SELECT count(*) AS n FROM library WHERE name = ?', 'Teacher')[0].n, 0, 'only the user sends it');
    await page.locator('.add').getByRole('button', { name: 'Add' }).click();
    await page.locator('.item-title', { hasText: 'Teacher' }).waitFor();
    await page.reload();
    await ready(page);
    assert.equal(await page.locator('.add textarea').inputValue(), '', 'it was accepted');

    await fill();
    await alfred.user('dora');
    await page.getByRole('link', { name: 'sign-in' }).click();
    await signIn(page, 'dora');
    await ready(page);
    assert.equal(await page.locator('.add textarea').inputValue(), '');
    assert.equal(await page.evaluate(() => Object.keys(sessionStorage).filter((k) => k === 'alfred.typed').length), 0);
});

test('without scripts the text that was typed stays on its page while the user signs in on another one', async (t) => {
    const page = await open(t, { as: await alfred.user('emil'), path: '/tasks', javaScriptEnabled: false, allow: [/status of 401/] });
    await page.locator('form[action="/tasks"] [name=text]').fill('Water the plants');
    await signOut('emil');
    await page.locator('form[action="/tasks"] [name=text]').press('Enter');
    await page.locator('#typed').waitFor();
    const [second] = await Promise.all([page.waitForEvent('popup'), page.getByRole('link', { name: 'sign-in' }).click()]);
    await signIn(second, 'emil');
    await second.waitForURL('**/tasks');
    assert.equal(await page.locator('#typed textarea').inputValue(), 'Water the plants');
});

for (const [where, options] of [['a desktop', {}], ['a phone', { ...phone, colorScheme: 'dark' }]])
    test(`the editor of a sent message has its text files as chips, which are kept, or removed one by one, on ${where}`, async (t) => {
        const page = await open(t, { as: anna, ...options }), chat = new Chat(page);
        const file = (name, text) => ({ name, mimeType: 'text/plain', buffer: Buffer.from(text) });
        await attach(page, file('log.txt', 'one\n```\ntwo\n'), file('b.csv', 'a;b\n\n'));
        await page.locator('#composer .file').nth(1).waitFor();
        await chat.send(`Seen on ${where}`);
        await chat.reads('Noted.');
        await chat.settled();
        const edit = async () => {
            await chat.act(chat.question, 'Edit').click();
            await chat.question.locator('.edit .file').first().waitFor();
            await until('the editor has the focus', () => box.evaluate((el) => el === document.activeElement));
        };
        const box = chat.question.getByRole('textbox', { name: 'Your message' });
        const names = () => chat.question.locator('.file-name:visible').allInnerTexts();
        const done = async (button) => {
            const sent = page.waitForRequest((r) => r.method() !== 'GET' && /\/messages\/\d+(\/edit)?$/.test(r.url()));
            await chat.question.getByRole('button', { name: button, exact: true }).click();
            const { text } = (await sent).postDataJSON();
            await box.waitFor({ state: 'hidden' });
            return text;
        };
        const log = 'log.txt\n````\none\n```\ntwo\n````', csv = 'b.csv\n```\na;b\n\n```';

        await edit();
        assert.equal(await box.inputValue(), `Seen on ${where}`);
        assert.deepEqual(await names(), ['log.txt', 'b.csv']);
        assert.ok(await chat.question.locator('.edit .file').first().evaluate((el) => el.getBoundingClientRect().top >= document.querySelector('.bar').getBoundingClientRect().bottom), 'in view');
        await chat.question.locator('.edit .file > summary').first().press('Enter');
        assert.equal(await chat.question.locator('.edit .file pre').first().innerText(), 'one\n```\ntwo\n');
        assert.deepEqual(await axe(page), []);
        assert.equal(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth), 0);
        await chat.question.getByRole('button', { name: 'Remove log.txt' }).click();
        assert.deepEqual(await names(), ['b.csv']);
        assert.ok(await box.evaluate((el) => el === document.activeElement));
        await page.keyboard.press('Escape');
        await box.waitFor({ state: 'hidden' });
        assert.deepEqual(await names(), ['log.txt', 'b.csv'], 'Esc keeps it');

        await edit();
        await box.fill('Changed');
        assert.equal(await done('Save'), `Changed\n\n${log}\n\n${csv}`);
        await chat.question.locator('.bubble', { hasText: 'Changed' }).waitFor();
        assert.deepEqual(await names(), ['log.txt', 'b.csv']);

        await edit();
        await chat.question.getByRole('button', { name: 'Remove log.txt' }).press('Enter');
        await box.fill('');
        assert.equal(await done('Save and rerun'), csv);
        await chat.settled();
        assert.deepEqual(await names(), ['b.csv']);
        assert.equal(await chat.question.locator('.bubble').count(), 0);

        await edit();
        await chat.question.getByRole('button', { name: 'Remove b.csv' }).click();
        await chat.question.getByRole('button', { name: 'Save', exact: true }).click();
        assert.ok(await box.evaluate((el) => el.matches(':invalid')), 'it needs a text or a file');
    });

test('files whose names have no ending are files in the conversation and in the editor, and those before them, too', async (t) => {
    const page = await open(t, { as: anna }), chat = new Chat(page), names = ['notes.md', 'Dockerfile', '.gitignore', 'a.code-workspace'];
    await attach(page, ...names.map((name) => ({ name, mimeType: '', buffer: Buffer.from('one\n') })));
    await page.locator('#composer .file').nth(3).waitFor();
    await chat.send('Seen without endings');
    await chat.reads('Noted.');
    await chat.settled();
    const shown = chat.question.locator('.file-name:visible');
    assert.deepEqual(await shown.allInnerTexts(), names);
    assert.equal(await chat.question.locator('.bubble').innerText(), 'Seen without endings');
    assert.match(last('without endings').userText, /^\.\/Dockerfile\n```\none\n```$/m);
    await chat.act(chat.question, 'Edit').click();
    const box = chat.question.getByRole('textbox', { name: 'Your message' });
    await chat.question.locator('.edit .file').first().waitFor();
    assert.deepEqual(await shown.allInnerTexts(), names);
    await box.fill('Seen again without endings');
    await chat.question.getByRole('button', { name: 'Save', exact: true }).click();
    await chat.question.locator('.bubble', { hasText: /^\s*Seen again/ }).waitFor();
    assert.deepEqual(await shown.allInnerTexts(), names);
});

/** Fills the browser's storage with the entries, and to its last character with others, as a different program of this host would. */
const fill = (page, entries) => page.evaluate((all) => {
    const put = (key, size) => {
        try {
            localStorage.setItem(key, 'x'.repeat(size));
            return true;
        } catch { return false; }
    };
    for (const [key, size] of Object.entries(all)) put(key, size);
    for (let size = 2 ** 22; size > 1; size /= 2) put(`other${size}`, size);
    for (let size = 1; put('other', size);) size++;
}, entries);
/** The lengths of the values that the browser keeps for Alfred, by what and whose they are. */
const lengths = (page) => page.evaluate(() => Object.fromEntries(Object.entries(localStorage).filter(([k]) => k.startsWith('alfred.')).map(([k, v]) => [k.slice(7), v.length])));

test('a draft that finds no room takes that of the oldest drafts of other sessions, which is said, and leaves the box of another tab alone', async (t) => {
    const as = await alfred.user('full'), { session } = await exchange(as, provider, 'An old question', 'Noted.');
    const page = await open(t, { as }), second = await page.context().newPage();
    await Promise.all([second.waitForResponse(/watch\.js/), second.goto(`/s/${session}`)]);
    await ready(second);
    const chat = new Chat(page), other = new Chat(second);
    await other.write('y'.repeat(3000));
    await until('it is kept', async () => (await lengths(page))[`draft.${session}`] === 3000);
    const user = parseInt(await page.locator('html').getAttribute('data-live')), twin = `draft.ses_1${user}`;
    await fill(page, { 'alfred.rest.ses_0': 6, 'alfred.files.ses_1': 200, [`alfred.${twin}`]: 300, 'alfred.draft.ses_z': 2000, 'alfred.queue.ses_0': 2000, 'alfred.draft.1': 10 });
    const own = async () => (await lengths(page))[`draft.${user}`];
    const text = 'A thought. '.repeat(298);
    await chat.write(text);
    await until('it is kept', async () => (await own()) === text.length);
    const left = await lengths(page);
    assert.deepEqual([left[`draft.${session}`], left[twin]], [0, 0]);
    assert.deepEqual([left['draft.ses_z'], left['queue.ses_0']], [2000, 2000]);
    assert.equal(left['files.ses_1'], 200, 'it fits beside the draft, and came back');
    await page.getByText('The 2 oldest drafts of other sessions were removed.').waitFor();
    assert.equal(await page.locator('#send-problem .problem').count(), 0);
    assert.equal((await other.box.inputValue()).length, 3000);
    await page.reload();
    assert.equal(await chat.box.inputValue(), text);
});

for (const [where, options] of [['a desktop', {}], ['a phone', { ...phone, colorScheme: 'dark' }]])
    test(`a draft that finds no room at all is reported once, and others stay, on ${where}`, async (t) => {
        const page = await open(t, { as: anna, ...options }), chat = new Chat(page);
        await fill(page, { 'alfred.draft.ses_1': 300, 'alfred.rest.ses_1': 6 });
        const before = await lengths(page);
        await chat.write('A thought. '.repeat(100));
        const notice = page.locator('#send-problem .problem');
        await notice.getByText('This browser has no room left to keep your draft. Send it, or copy it, before you leave this page.').waitFor();
        assert.deepEqual(await axe(page), []);
        assert.equal(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth), 0);
        // The next attempt is made at once, when the page is left.
        await chat.write('Another thought. '.repeat(100));
        await page.evaluate(() => dispatchEvent(new Event('pagehide')));
        assert.equal(await notice.count(), 1);
        assert.deepEqual(await lengths(page), before);
        await page.evaluate(() => Object.keys(localStorage).forEach((k) => k.startsWith('other') && localStorage.removeItem(k)));
        await chat.write('With room. '.repeat(100));
        await page.evaluate(() => dispatchEvent(new Event('pagehide')));
        assert.ok(Object.values(await lengths(page)).includes(1100));
        await chat.box.press('Enter');
        await chat.reads('Noted.');
        assert.equal(await notice.count(), 0);
    });
