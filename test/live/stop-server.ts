import { stopLiveServer } from './start-server.ts';

export default (): Promise<void> => stopLiveServer();
