/** http-proxy-middleware in Express in front of the backend, with kept connections: it translates nothing. */
import { Agent } from 'node:http';
import express from 'express';
import { createProxyMiddleware } from 'http-proxy-middleware';
import { announce } from './bodies.ts';

const app = express();
app.use(createProxyMiddleware({ target: process.argv[2], agent: new Agent({ keepAlive: true }) }));
const server = app.listen(0, '127.0.0.1', () => announce(server.address().port));
