// Idle readers of changes: what 1,000 open pages cost while nothing happens.
import net from 'node:net';

import { cpuOfAll, sleep, sum } from './measure.js';

const READERS = 1000;
const AT_ONCE = 50; // connections that are made at the same time
const WINDOW_MS = 3 * 60 * 1000; // each reader gets four pings (LIVE_PING_MS)
const PER_HOUR = 3_600_000 / WINDOW_MS;

/** A connection that has got its first event. */
function reader(port, headers) {
    const socket = net.connect(port, '127.0.0.1');
    socket.write(`GET /api/events HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n${headers}\r\n`);
    return new Promise((resolve, reject) => {
        let text = '';
        const look = (chunk) => {
            text += chunk;
            if (!text.includes('event: hello')) return;
            socket.off('data', look).resume();
            resolve(socket);
        };
        socket.on('data', look);
        socket.on('error', reject);
        socket.on('close', () => reject(new Error(`a reader was closed: ${text.slice(0, 200)}`)));
    });
}

/** `ours` and `nginx` give the ids of the processes, `memory` the KB of our programs. */
export async function measureLive(table, { port, headers, ours, nginx, memory }) {
    const before = memory();
    const sockets = [];
    try {
        while (sockets.length < READERS) sockets.push(...(await Promise.all(Array.from({ length: AT_ONCE }, () => reader(port, headers)))));
        await sleep(1000);
        const bytes = sum(sockets.map((s) => s.bytesRead));
        const used = cpuOfAll(ours);
        const usedByNginx = cpuOfAll(nginx);
        const after = memory();
        await sleep(WINDOW_MS);
        const lost = sockets.filter((s) => s.destroyed).length;
        if (lost) throw new Error(`${lost} readers were closed`);
        table.part('live', `${READERS} idle readers of changes, for ${WINDOW_MS / 1000} s`);
        table.row('bytes an hour, of one reader', ((sum(sockets.map((s) => s.bytesRead)) - bytes) / READERS) * PER_HOUR, 'B', { aim: 5000 });
        table.row('processor time of our programs a minute', (cpuOfAll(ours) - used) / 1000 / (WINDOW_MS / 60_000), 'ms');
        table.row('  of nginx', (cpuOfAll(nginx) - usedByNginx) / 1000 / (WINDOW_MS / 60_000), 'ms');
        table.row('memory of our programs, of one reader', (after - before) / READERS, 'KB');
    } finally {
        for (const socket of sockets) socket.destroy();
    }
}
