import { oldestNode } from './packages.mjs';

/** A message for users of a Node that is too old for the packages; undefined if it is new enough. @param {string} command */
export function oldNodeMessage(command) {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const { major: oldest, minor: least } = oldestNode;
  if (major > oldest || (major === oldest && minor >= least)) return undefined;
  return `${command} needs Node ${oldest}.${least} or newer; this is ${process.versions.node}. Get it from https://nodejs.org`;
}
