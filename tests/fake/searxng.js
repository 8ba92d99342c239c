// A SearXNG server by its documentation (docs.searxng.org/dev/search_api) and the rules of its search function:
// - GET and POST of / and /search; a form's fields go before those of the query string; a body of another type is ignored
// - an unknown format is html; a format that is not enabled is 403 with an HTML page; without q 400 and {"error": "No query"}
// - a bad pageno, language or safesearch is 400 and {"error": "Invalid value ..."}
// - a query with the word "!!" is redirected to its first result, one with a bang of DuckDuckGo ("!!wfr") to another site
//
//     const searxng = await startSearxng({ results: [{ url, title, content }] });   // or a function of {q, pageno}
//     searxng.mode = 'limited';    // 429; 'hangs', 'html', 'broken', 'endless', 'huge', or a function of the response
//     searxng.formats = ['html'];  // as in a new installation
//     searxng.queries              // the accepted ones: {q, pageno, method, path}
import http from 'node:http';
import { once } from 'node:events';

import { AS_REAL_SERVERS } from '../lib/wait.js';

const FORMATS = ['html', 'csv', 'json', 'rss'];
const LANGUAGE = /^([a-z]{2,3}(-[a-zA-Z]{2})?|auto|all)$/;
const MB = 1024 * 1024;

const page = (title) => `<!doctype html>\n<html lang=en>\n<title>${title}</title>\n<h1>${title}</h1>\n`;

/** A result with all members of a real one. */
function whole({ url, title = '', content = '', publishedDate = null, engine = 'duckduckgo', ...more }, i) {
    const { protocol, host, pathname, search } = URL.canParse(url) ? new URL(url) : { protocol: '', host: '', pathname: '', search: '' };
    return { url, title, content, publishedDate, thumbnail: '', engine, template: 'default.html', parsed_url: [protocol.slice(0, -1), host, pathname, '', search.slice(1), ''], img_src: '', priority: '', engines: [engine], positions: [i + 1], score: 1 / (i + 1), category: 'general', ...more };
}

const modes = {
    limited(response) {
        response.writeHead(429, { 'content-type': 'text/html; charset=utf-8' });
        response.end(page('Too Many Requests'));
    },
    hangs() {},
    html(response) {
        response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' });
        response.end(page('Verifying your browser'));
    },
    broken(response) {
        response.writeHead(200, { 'content-type': 'application/json' });
        response.end('{"query": "x", "results": [{"url": "https://example.org/", "ti');
    },
    huge(response) {
        response.writeHead(200, { 'content-type': 'application/json' });
        response.end(JSON.stringify({ results: [], filler: 'x'.repeat(2 * MB) }));
    },
    async endless(response) {
        response.writeHead(200, { 'content-type': 'application/json' });
        response.write('{"results": [');
        while (!response.destroyed) {
            if (!response.write(' '.repeat(64 * 1024))) await Promise.race([once(response, 'drain'), once(response, 'close')]);
        }
    },
};

export async function startSearxng({ results = [], ...more } = {}) {
    const queries = [], requests = [];
    const self = { queries, requests, results, mode: null, formats: ['html', 'json'], answers: [], infoboxes: [], unresponsive: [], ...more };

    function answer(response, form, request) {
        const format = FORMATS.includes(form.get('format')) ? form.get('format') : 'html';
        const refuse = (status, title) => {
            response.writeHead(status, { 'content-type': 'text/html; charset=utf-8' });
            response.end(page(title));
        };
        const json = (status, body) => {
            response.writeHead(status, { 'content-type': 'application/json' });
            response.end(JSON.stringify(body));
        };
        if (!self.formats.includes(format)) return refuse(403, 'Forbidden');
        if (format !== 'json') return refuse(200, 'SearXNG');
        const q = form.get('q'), pageno = form.get('pageno') ?? '1', language = form.get('language') ?? 'auto', safe = form.get('safesearch') ?? '0';
        if (!q) return json(400, { error: 'No query' });
        if (!/^[1-9]\d*$/.test(pageno)) return json(400, { error: `Invalid value "${pageno}" for parameter pageno` });
        if (!LANGUAGE.test(language)) return json(400, { error: `Invalid value "${language}" for parameter language` });
        if (!/^[012]$/.test(safe)) return json(400, { error: `Invalid value "${safe}" for parameter safesearch` });
        if (q.split(/[\s\x1c-\x1f]+/u).some((word) => /^!!($|[^!])/u.test(word))) {
            response.writeHead(302, { location: 'https://engine.example/search' });
            return response.end();
        }
        const query = { q, pageno: Number(pageno), method: request.method, path: request.url };
        queries.push(query);
        const found = typeof self.results === 'function' ? self.results(query) : self.results;
        return json(200, { query: q, number_of_results: 0, results: found.map(whole), answers: self.answers, corrections: [], infoboxes: self.infoboxes, suggestions: [], unresponsive_engines: self.unresponsive });
    }

    const server = http.createServer(AS_REAL_SERVERS, async (request, response) => {
        const chunks = [];
        response.on('error', () => {}); // the client may leave
        try {
            for await (const chunk of request) chunks.push(chunk);
        } catch {
            return; // the client left during its request
        }
        const { pathname, searchParams } = new URL(request.url, 'http://searxng');
        requests.push({ method: request.method, path: request.url, headers: request.headers });
        if (!['/', '/search'].includes(pathname)) {
            response.writeHead(404, { 'content-type': 'text/html' });
            return response.end(page('Page not found'));
        }
        if (!['GET', 'POST'].includes(request.method)) {
            response.writeHead(405, { allow: 'GET, POST' });
            return response.end();
        }
        const mode = modes[self.mode] ?? self.mode;
        if (mode) return mode(response, request);
        const isForm = request.headers['content-type'] === 'application/x-www-form-urlencoded';
        const form = new URLSearchParams(isForm ? Buffer.concat(chunks).toString('utf8') : '');
        for (const [name, value] of searchParams) if (!form.has(name)) form.set(name, value);
        return answer(response, form, request);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address();
    self.url = `http://127.0.0.1:${port}`;
    self.host = `127.0.0.1:${port}`;
    self.stop = () => {
        server.closeAllConnections();
        return new Promise((resolve) => server.close(resolve));
    };
    return self;
}
