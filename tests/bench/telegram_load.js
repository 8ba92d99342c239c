// Sends updates to the webhook at a fixed rate, from a thread of its own, so that nothing else delays its clock. Connections
// stay open, as Telegram's do. Posts the milliseconds of each acknowledgement, and statuses other than 200.
import http from 'node:http';
import { parentPort, workerData } from 'node:worker_threads';

const { url, secret, count, perSecond, bodies } = workerData;
const agent = new http.Agent({ keepAlive: true, maxSockets: 40 });
const times = [], wrong = [];

function send(body) {
    return new Promise((resolve) => {
        const begun = performance.now();
        const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body), 'x-telegram-bot-api-secret-token': secret };
        const request = http.request(url, { method: 'POST', agent, headers }, (response) => {
            response.resume();
            response.on('end', () => {
                times.push(performance.now() - begun);
                if (response.statusCode !== 200) wrong.push(response.statusCode);
                resolve();
            });
        });
        request.on('error', (error) => {
            wrong.push(error.message);
            resolve();
        });
        request.end(body);
    });
}

const begun = performance.now();
const all = [];
for (let i = 0; i < count; i++) {
    const wait = begun + (i * 1000) / perSecond - performance.now();
    if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
    all.push(send(bodies[i]));
}
await Promise.all(all);
agent.destroy();
parentPort.postMessage({ times, wrong });
