import { BaseListChatMessageHistory } from '@langchain/core/chat_history';
import {
  type BaseMessage,
  mapChatMessagesToStoredMessages,
  mapStoredMessagesToChatMessages,
  type StoredMessage,
} from '@langchain/core/messages';
import { createSessionLog, type SessionLog, type SessionLogOptions } from '@memrelay/adapter/session-log';

/** The messages of a conversation. Each is one memory; `clear` removes them permanently. */
export class MemRelayChatHistory extends BaseListChatMessageHistory {
  lc_namespace = ['memrelay', 'chat_history'];
  readonly #log: SessionLog<StoredMessage>;

  constructor(options: SessionLogOptions) {
    super();
    this.#log = createSessionLog(options);
  }

  /** All messages, oldest first. */
  async getMessages(): Promise<BaseMessage[]> {
    return mapStoredMessagesToChatMessages(await this.#log.read());
  }

  addMessage(message: BaseMessage): Promise<void> {
    return this.addMessages([message]);
  }

  override addMessages(messages: BaseMessage[]): Promise<void> {
    return this.#log.append(mapChatMessagesToStoredMessages(messages));
  }

  override clear(): Promise<void> {
    return this.#log.clear();
  }
}
