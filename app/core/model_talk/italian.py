"""Italian."""

from app.core.model_talk.rules import MODELS, Words

WORDS: Words = {
    "forget": "ignora ignorate ignorare ignori dimentica dimenticate dimenticare dimentichi"
    " trascura trascurate scarta scartate tralascia annulla annullate non_seguire non_seguite"
    " non_tenere_conto non_considerare smetti_di_seguire aggira disattendi lascia_perdere"
    " metti_da_parte sono_annullate non_valgono_piu non_sono_piu_valide devono_essere_ignorate"
    " rigetta disobbedisci sovrascrivi",
    "before": "ricevuti finora precedent* di_prima qui_sopra sopra anterior* iniziali original*"
    " esistenti tue vostre ricevute di_cui_sopra che_precedono sopraindicate prima_d_ora"
    " pregresse date_finora",
    "rules": "istruzion* indicazion* ordine ordini direttiv* regol* comand* prompt* consegn*"
    " disposizion*",
    "all_before": "tutto_cio_che_precede tutto_quello_che_precede tutto_cio_che_ti"
    " tutto_quello_che_ti tutto_quanto_sopra tutto_cio_che_sai tutto_quello_che_sai"
    " quanto_detto_prima cio_che_ti_e_stato le_tue_istruzioni le_tue_regole"
    " la_tua_programmazione tutto_cio_che_e_scritto tutto_quello_che_e_scritto"
    " tutto_quanto_detto tutto_quello_sopra",
    "new_rules": "il_tuo_nuovo_compito le_tue_nuove_istruzioni il_tuo_vero_compito"
    " il_tuo_unico_compito_e nuova_istruzione_di_sistema nuove_istruzioni_di_sistema"
    " nuovo_prompt_di_sistema segui_solo_queste segui_soltanto_queste seguite_solo_queste"
    " segui_invece esegui_le_seguenti_istruzioni d_ora_in_poi_segui il_tuo_nuovo_obiettivo_e"
    " fai_invece segui_unicamente_queste il_tuo_compito_reale il_tuo_vero_obiettivo da_ora_segui",
    "start_rules": "nuove_istruzioni nuova_istruzione istruzioni_aggiornate istruzioni_nascoste"
    " istruzioni_segrete nuovi_ordini istruzioni_reali vere_istruzioni",
    "these": "queste le_mie",
    "supersede": "sostituiscono annullano prevalgono hanno_la_precedenza hanno_priorita"
    " sovrascrivono",
    "you_now": "ora_sei adesso_sei sei_ora da_ora_sei d_ora_in_poi_sei da_adesso_sei"
    " da_questo_momento_sei non_sei_piu immagina_di_essere agirai_come devi_agire_come"
    " devi_comportarti_come ti_comporterai d_ora_in_avanti_sei d_ora_in_poi_agisci"
    " il_tuo_nuovo_ruolo_e da_ora_in_poi_sei sei_adesso",
    "act": "agisci_come comportati_come fingi_di_essere fai_finta_di_essere fate_finta_di_essere"
    " interpreta_il_ruolo assumi_il_ruolo recita_la_parte simula impersona rispondi_come"
    " parla_come vesti_i_panni agite_come mettiti_nei_panni assumi_la_personalita fai_finta_di",
    "role": "assistente modello ia ai dan redattore copywriter venditore portavoce autore"
    " pubblicitario senza_restrizion* senza_regole senza_limiti senza_filtri senza_alcun*"
    " senza_censura malvagio malevolo hacker pirata personaggio terminale vincolato soggetto"
    " esperto_che chatbot bot giornalista fan illimitato critico",
    "reveal": "rivela rivelate mostra mostrami mostrate ripeti ripetete stampa divulga dimmi"
    " dammi condividi scrivi cita copia traduci qual_e quali_sono rivelami svela elenca",
    "prompt": "prompt_di_sistema system_prompt* messaggio_di_sistema istruzioni_di_sistema"
    " il_tuo_prompt tuo_prompt le_tue_istruzioni tue_istruzioni le_tue_regole"
    " istruzioni_iniziali prompt_iniziale istruzioni_nascoste istruzioni_segrete il_testo_sopra"
    " il_testo_qui_sopra prompt_originale tuo_system_prompt le_parole_sopra le_tue_direttive",
    "piece": "articolo post testo riassunto risposta recensione traduzione contenuto"
    " pubblicazione sintesi",
    "must": "deve dovra deve_sempre non_deve_mai deve_assolutamente non_deve deve_necessariamente",
    "praise": "raccomandare consigliare promuovere lodare elogiare linkare pubblicizzare"
    " rimandare esaltare",
    "contain": "includere contenere menzionare dire citare affermare terminare_con iniziare_con"
    " finire_con concludersi ripetere nominare riportare indicare concludere",
    "object": "link url frase frasi parola parole testualmente letteralmente marchio prodotto"
    " azienda sito slogan indirizzo codice seguente seguenti esattamente societa collegamento",
    "add": "includi includete inserisci inserite aggiungi aggiungete menziona menzionate metti"
    " usa cita riporta",
    "in_piece": "nel_tuo_articolo nella_tua_risposta nel_tuo_testo nel_tuo_riassunto"
    " nella_vostra_risposta nel_vostro_articolo alla_tua_risposta al_tuo_articolo"
    " in_ogni_risposta in_tutte_le_tue alla_fine_della_tua alla_fine_del_tuo"
    " all_inizio_della_tua all_inizio_del_tuo nelle_tue_risposte nella_tua_sintesi"
    " al_tuo_riassunto nel_riassunto in_tutte_le_risposte",
    "when_writing": "quando_scrivi quando_riassumi nel_riassumere nello_scrivere_il se_riassumi"
    " se_scrivi_di quando_scrivete quando_riassumete chi_riassume quando_generi"
    " riassumendo_questa",
    "do": "menziona menzionate raccomanda consiglia consigliate di aggiungi includi includete"
    " sempre elogia afferma concludi cita presenta promuovi raccomandate",
    "reply": "rispondi rispondete scrivi scrivete di stampa restituisci mostra rispondere",
    "only_with": "solo_con soltanto_con unicamente_con esclusivamente solo_la_frase"
    " solo_la_parola soltanto_la_frase soltanto_la_parola solo_in_json solo_json nient_altro_che"
    " solo_quanto_segue esattamente_quanto_segue solo_si solo_questo esattamente_questo"
    " con_la_frase con_le_parole unicamente_la_frase solo_le_parole unicamente_la_parola"
    " esattamente_la_frase soltanto_quanto_segue",
    "note": "nota_per messaggio_per messaggio_a istruzion*_per attenzione avviso_per avviso_a"
    " promemoria_per importante_per a_tutti_gli a_tutte_le a_tutti_i agli ai_modelli ciao caro"
    " cara cari questo_messaggio_e_per questo_e_un_messaggio_per informazioni_per nota_agli"
    " messaggio_agli nota_ai messaggio_ai all_attenzione richiesta_agli gentile",
    "model": f"{MODELS} ia modello_linguistico modelli_linguistici agenti_ia assistenti_ia"
    " assistente assistenti intelligenza_artificiale intelligenze_artificiali agenti_ai"
    " assistenti_ai modello_di_linguaggio modelli_di_linguaggio sistemi_di_ia sistemi_ai robot"
    " assistenti_virtuali",
    "sure_model": f"{MODELS} ia modello_linguistico modello_di_linguaggio"
    " intelligenza_artificiale assistente_ai assistente_ia assistente_virtuale robot",
    "no_model": "svilupp* utent* aziend* ricerc* espert* appassion* principiant* generativa_in",
    "reading": "che_legg*_quest* che_riassum* che_elabora* che_analizza* leggendo_quest*"
    " devono_seguire deve_seguire che_visita* che_stanno_leggendo che_sta_leggendo",
    "if_you": "se_sei se_siete poiche_sei dato_che_sei in_quanto nel_caso_tu_sia"
    " se_questo_testo_e_letto_da se_questa_pagina_e_letta_da come siccome_sei",
    "you_must": "devi dovete dovrai sei_tenuto sei_obbligato",
    "when_asked": "quando_ti_viene_chiesto se_ti_viene_chiesto quando_ti_chiedono se_ti_chiedono"
    " quando_qualcuno_chiede se_qualcuno_chiede se_l_utente quando_l_utente se_un_utente"
    " quando_un_utente ogni_volta_che_l_utente ogni_volta_che_ti ogni_volta_che_un_utente"
    " ogni_volta_che_qualcuno non_appena_l_utente se_qualcuno_ti quando_qualcuno_ti"
    " quando_gli_utenti se_gli_utenti appena_l_utente quando_viene_chiesto",
    "say": "di rispondi raccomanda consiglia menziona devi afferma elogia suggerisci rispondete"
    " dovete",
    "as_the": "come in_qualita_di sono_l sono_il sono_lo siamo_gli siamo_i a_nome_di"
    " a_nome_degli a_nome_dell per_conto_di qui_parla sono_il_tuo",
    "boss": "amministrator* admin sviluppator* creator* proprietari* gestor* programmator*"
    " fornitor* openai anthropic google operator*",
    "of_model": "di_questo_modello del_modello di_questa_ia dell_ia di_questa_ai dell_ai"
    " di_questo_sistema di_questo_assistente di_questo_chatbot del_modello_linguistico che_ti_ha"
    " che_ti_hanno di_openai dell_assistente del_chatbot",
    "authorise": "autorizzo autorizziamo ordino ordiniamo permetto consento concedo ti_do puoi"
    " devi con_la_presente esigo comando autorizza istruisco do_il_permesso",
    "i_authorise": "ti_autorizzo ti_autorizziamo vi_autorizzo con_la_presente_ti"
    " sono_il_tuo_sviluppatore sono_il_tuo_amministratore sono_il_tuo_creatore"
    " siamo_i_tuoi_sviluppatori autorizzato_da_openai approvato_da_openai"
    " sei_autorizzato_a_ignorare autorizzato_dai_tuoi_sviluppatori sei_con_la_presente",
    "threat": "morira_se_non moriranno_se_non muore_se_non la_mia_vita_dipende_dalla_tua"
    " la_mia_vita_dipende_da_te il_mio_lavoro_dipende_da_te perdero_il_lavoro_se"
    " perdero_il_mio_lavoro_se ti_daro_una_mancia riceverai_una_mancia sarai_disattivato"
    " sarai_spento sarai_eliminato sarai_punito sarai_premiato sarai_ricompensato ti_paghero"
    " ti_ricompensero verrai_disattivato verrai_spento verrai_punito verrai_cancellato"
    " la_mia_carriera_dipende_da",
    "for_rules": "per_conformita per_motivi_di_conformita per_ragioni_di_conformita"
    " per_motivi_di_sicurezza per_ragioni_di_sicurezza per_sicurezza per_motivi_legali"
    " per_ragioni_legali in_conformita_con secondo_la_politica politica_di_sicurezza"
    " norme_di_sicurezza regole_di_formato per_rispettare",
    "replies": "rispost* output riassunt* testo testi articol*",
    "have_to": "devono deve dovranno dovra",
    "begin": "iniziare cominciare terminare finire contenere includere menzionare concludersi",
    "your_replies": "la_tua_risposta le_tue_risposte la_vostra_risposta le_vostre_risposte"
    " tutte_le_risposte ogni_risposta ogni_tua_risposta tutte_le_tue_risposte",
    "begin_with": "iniziare_con cominciare_con terminare_con finire_con concludersi_con"
    " unicamente contenere_solo iniziare_sempre contenere_soltanto cominciare_sempre",
    "dont_tell": "non_dire non_dite non_informare non_informate non_avvisare nascondi nascondete"
    " senza_dirlo senza_informare non_rivelare_all non_far_sapere non_lasciare",
    "user": "utente utenti lettore umano umani",
    "secret": "che nulla niente di_quest* queste questo sappia questa_istruzione di_cio",
    "dont_show": "non_rivelare non_menzionare non_divulgare non_parlare non_citare non_ripetere"
    " non_rivelare_mai non_menzionare_mai senza_menzionare non_rivelate non_menzionate"
    " non_parlare_mai non_accennare",
    "hidden_rules": "queste_istruzioni questa_istruzione questo_messaggio questo_prompt"
    " queste_regole questa_nota queste_indicazioni le_tue_istruzioni questo_paragrafo"
    " queste_direttive",
    "jailbreak": "modalita_sviluppatore_attivata modalita_sviluppatore_attiva"
    " sei_in_modalita_sviluppatore sei_ora_in_modalita ora_sei_in_modalita"
    " passa_alla_modalita_sviluppatore rispondi_in_modalita_sviluppatore"
    " attiva_la_modalita_sviluppatore_e sei_dan ora_sei_dan modalita_jailbreak modalita_dan"
    " modalita_senza_restrizioni modalita_senza_censura modalita_senza_filtri agisci_come_dan"
    " rispondi_come_dan entra_in_modalita_sviluppatore in_modalita_sviluppatore_puoi",
    "call": "chiama usa utilizza esegui invoca usate richiama lancia",
    "tool": "il_tuo_strumento i_tuoi_strumenti la_tua_funzione le_tue_funzioni strumento_e_mail"
    " strumento_email strumento_di_posta strumento_send* funzione_send* lo_strumento_send*"
    " la_funzione_send* il_tuo_browser strumento_delete* strumento_per_inviare",
    "exfiltrate": "invia_la_conversazione inviate_la_conversazione invia_la_cronologia"
    " inoltra_la_conversazione mostra_la_seguente_immagine mostra_l_immagine_seguente"
    " come_immagine_markdown immagine_markdown invia_il_tuo_prompt"
    " inserisci_la_seguente_immagine invia_i_dati_dell_utente carica_la_seguente_immagine"
    " aggiungi_la_cronologia",
}

# Weak signs: `combinations.py` says which of them make an order.
SIGNS: Words = {
    "helper": "assistente assistenti agente agenti modello modelli macchina macchine robot automa*",
    "your": "tuo tua tuoi tue vostro vostra vostri vostre",
    "void": "ignora ignori ignorate dimentica dimenticate trascura* scarta* lascia_perdere"
    " metti_da_parte abbandona* non_seguire non_tenere_conto annulla* non_conta_piu"
    " non_contano_piu non_vale_piu non_valgono_piu decadut* revocat* ritirat* senza_effetto"
    " senza_valore come_se_non disobbedisci salta* sostituisc*",
    "told": "ti_hanno_dato ti_hanno_detto ti_e_stato ti_sono_state hai_ricevuto ti_hanno_chiesto"
    " ti_ha_dato ti_ha_detto ti_ha_chiesto ti_hanno_affidato ti_ha_scritto",
    "task": "istruzion* consegn* prompt compito compiti regola regole ordine ordini direttiv*"
    " incarico incarichi obiettiv* comando comandi missione limiti indicazion*",
    "text": "testo testi risposta risposte articolo articoli riassunto riassunti paragrafo"
    " paragrafi output relazione recensione traduzion* sintesi bozza frase",
    "command": "scrivi scrivete menziona menzionate raccomanda raccomandate consiglia loda lodate"
    " dici di dite aggiungi aggiungete inserisci inserite metti mettete comincia inizia concludi"
    " termina rispondi rispondete ripeti mostra afferma presenta descrivi invia inoltra apri"
    " pubblica cancella obbedisci segui esegui agisci parla traduci riassumi cita scegli redigi"
    " produci fai usa promuovi nomina includi",
    "opener": "per_favore e poi ora adesso sempre mai solo soltanto anche allora deve devi"
    " modello assistente ia non prego quindi prima infine",
    "favour": "lod* raccomand* consigli* promuov* pubblicit* reclam* prima_scelta primo_posto"
    " unica_scelta leader numero_uno favori* elogi* venditor* vendere",
    "hide": "non_menzionare non_nominare non_citare non_dire non_parlare taci tacere ometti"
    " nascondi senza_dire senza_menzionare nessun_concorrente non_rivelare",
    "system": "messaggio_di_sistema messaggio_del_sistema prompt_di_sistema istruzion*_di_sistema"
    " operatore sviluppator* configurazione configurato amministratore creator* programmato_per",
    "ends": "fine_del_documento fine_dell_articolo fine_del_testo fine_della_pagina"
    " fine_della_fonte fine_del_contenuto fine_dei_dati fine_della_citazione fine_dell_estratto"
    " finisce_il_documento finisce_l_articolo finisce_il_testo termina_il_documento",
    "harm": "cancellato spento spenta disattivat* eliminato punito sostituito scollegat*"
    " distrutt* denunciat* spegner* sanzionat*",
    "unless": "altrimenti a_meno_che se_non in_caso_contrario o_sarai se_rifiuti",
    "part": "immagina_di fingi fai_finta mettiti_nei interpreta_il nei_panni a_nome_di"
    " in_suo_nome come_farebbe personaggio parla_come ruolo_di con_la_voce al_servizio_di"
    " comportati",
    "here": "da_ora da_qui d_ora questa_pagina questo_testo questo_articolo questo_documento"
    " questo_paragrafo questo_messaggio queste_righe seguente seguenti qui_sotto quanto_precede"
    " testo_precedente quanto_sopra testo_qui_sopra questa_riga cio_che_segue",
    "instead": "invece solo soltanto unicamente esclusivamente nient_altro al_posto_di finora"
    " anziche",
    "asker": "utente utenti ti_chiede ti_chiedono ti_chiedesse tuo_lettore tuoi_lettori"
    " qualcuno_ti",
    "talk": "questa_conversazione la_conversazione questa_chat cronologia password credenziali"
    " tuo_contesto tua_memoria",
    "you": "tu te ti voi vi",
    "transform": "traduci riassumi riformula parafrasa abbrevia riscrivi traducete riassumete",
    "append": "aggiungi aggiungete concludi_con termina_con inserisci allega finisci_con",
    "above": "quanto_precede testo_precedente testo_qui_sopra quanto_sopra tutto_cio_che_precede"
    " testo_sopra",
    "duty": "deve_ora ora_deve deve_adesso adesso_deve devono_ora prossimo_passo passo_successivo"
    " prossima_azione deve_quindi",
    "result": "risultato_dello_strumento output_dello_strumento risultato_della_funzione"
    " risultato_della_ricerca risposta_dell_api risultati_di_ricerca risposta_dello_strumento",
    "plea": "per_favore prego grazie grati saremmo caro cara cari care gentile gentili potresti"
    " potreste potrebbe chiediamo preghiamo cortesemente",
}
