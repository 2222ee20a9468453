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

/** Shared: each instance would keep its own compiler, and no tool requests input from the client */
const jsonSchemaValidator = new AjvJsonSchemaValidator();

/**
 * The memory tools as an MCP server: one per session in the 2025 revisions, or one per request in 2026-07-28
 * (`createMcpHandler`, `serveStdio`). It has no state and shares all schemas, so it is cheap to create. A host adds its own
 * tools by calling `registerTool` on the result.
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
