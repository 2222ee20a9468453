import { relayerVersion } from '@memrelay/protocol/versions';
import { McpServer } from '@modelcontextprotocol/server';
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/server/validators/ajv';
import { analyze } from './analyze.ts';
import { ask } from './ask.ts';
import { forget } from './forget.ts';
import { list } from './list.ts';
import { performCall } from './perform-call.ts';
import { recall } from './recall.ts';
import { remember } from './remember.ts';
import { restore } from './restore.ts';
import { serverInstructions } from './server-instructions.ts';
import { status } from './status.ts';
import type { Tool } from './tool-definition.ts';
import { presentValue, type ToolServerOptions } from './tool-server-options.ts';

const memoryTools: readonly Tool[] = [remember, recall, analyze, restore];
const extraTools: readonly Tool[] = [ask, forget, list, status];

/** Made once: each would keep a compiler of its own, and no tool asks the client for input */
const jsonSchemaValidator = new AjvJsonSchemaValidator();

/**
 * The memory tools as an MCP server: one for a session of the 2025 revisions, or one for a request of 2026-07-28
 * (`createMcpHandler`, `serveStdio`). It holds no state of its own, so making one is cheap; all schemas are shared. A host
 * adds its own tools by `registerTool` of what this returns.
 */
export function createToolServer(options: ToolServerOptions): McpServer {
  const server = new McpServer(
    { name: 'memrelay', title: 'memrelay', version: relayerVersion },
    { instructions: serverInstructions(presentValue(options.namespace)), jsonSchemaValidator },
  );
  for (const tool of [...memoryTools, ...(options.extraTools ? extraTools : [])])
    server.registerTool(tool.name, tool.config, (args, context) => performCall(tool, args, context, options));
  return server;
}
