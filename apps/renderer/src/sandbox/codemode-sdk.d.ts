declare module '@nexart/codemode-sdk/core' {
  export const SDK_VERSION: string;
}
