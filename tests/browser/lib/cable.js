// The connection between a browser and the service, which a test can cut during an answer. Chromium's offline mode lets
// a running response continue. So this is a TCP proxy that ends every connection and accepts no new one until mended.
import { once } from 'node:events';
import net from 'node:net';

export async function lay(alfred) {
    const open = new Set();
    let whole = true;
    const server = net.createServer((near) => {
        const far = net.connect(alfred.httpsPort, '127.0.0.1');
        for (const [socket, other] of [[near, far], [far, near]]) {
            open.add(socket);
            socket.on('error', () => {});
            socket.on('close', () => {
                open.delete(socket);
                other.destroy();
            });
        }
        if (!whole) return near.destroy();
        near.pipe(far).pipe(near);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const drop = () => {
        for (const socket of open) socket.destroy();
    };
    return {
        baseUrl: `https://localhost:${server.address().port}`,
        cut() {
            whole = false;
            drop();
        },
        mend() {
            whole = true;
        },
        remove() {
            drop();
            server.close();
        },
    };
}
