<?php
// Routes PHP's built-in server the way WordPress's rewrite rules do: what exists is served as it
// is, a folder by its index.php, and every other path is a permalink.
$path = parse_url($_SERVER['REQUEST_URI'], PHP_URL_PATH) ?: '/';
$file = $_SERVER['DOCUMENT_ROOT'] . rawurldecode($path);
if ($path !== '/' && (is_file($file) || is_file(rtrim($file, '/') . '/index.php'))) {
    return false;
}
$_SERVER['SCRIPT_NAME'] = '/index.php';
$_SERVER['SCRIPT_FILENAME'] = $_SERVER['DOCUMENT_ROOT'] . '/index.php';
$_SERVER['PHP_SELF'] = '/index.php';
require $_SERVER['DOCUMENT_ROOT'] . '/index.php';
